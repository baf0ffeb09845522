import { useQuery } from '@tanstack/react-query'
import { client } from './client.ts'
import { useMe } from './me.ts'
import { useAuthMode } from './session.ts'

/** So many are asked for at once; who is not among them is shown by his id. */
const MOST = 200

/** Who the records of the service may name besides people with an account. */
const others: Readonly<Record<string, string>> = { local: 'Local admin', anonymous: 'Not signed in' }

/** The newest accounts, for admins to read names instead of ids. */
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

/** The name of a user, or the id when it is not known. */
export const useUserName = () => {
  const me = useMe()
  const people = usePeople()
  return (id: string): string =>
    others[id] ?? people.find((one) => one.id === id)?.name ?? (me?.id === id ? me.name : id)
}
