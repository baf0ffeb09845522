import { useQuery } from '@tanstack/react-query'
import { client } from './client.ts'
import { useMe } from './me.ts'
import { useAuthMode } from './session.ts'

/** Users beyond these are shown by id. */
const MOST = 200

/** Ids in records that are not accounts. */
const others: Readonly<Record<string, string>> = { local: 'Local admin', anonymous: 'Not signed in' }

const LOCAL_USER = 'local'

/** Whether there are accounts; false until that is known. */
export const useHasPeople = (): boolean => {
  const me = useMe()
  return me !== undefined && me.id !== LOCAL_USER
}

/** Loaded for admins only. */
export const usePeople = () => {
  const me = useMe()
  const mode = useAuthMode()
  const { data } = useQuery({
    queryKey: ['users', 'names'],
    enabled: me?.role === 'admin' && mode !== undefined && mode !== 'local',
    staleTime: 60_000,
    queryFn: async ({ signal }) => (await client.listUsers({ query: { limit: MOST } }, { signal })).users,
  })
  return data ?? []
}

export const useUserName = () => {
  const me = useMe()
  const people = usePeople()
  return (id: string): string =>
    others[id] ?? people.find((one) => one.id === id)?.name ?? (me?.id === id ? me.name : id)
}
