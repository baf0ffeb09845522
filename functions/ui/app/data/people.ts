import { skipToken, useQuery } from '@tanstack/react-query'
import { client } from './client.ts'
import { useMe } from './me.ts'
import { queryClient } from './query-client.ts'
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

type Names = Readonly<Record<string, string>>

const namesKey = ['task-creators'] as const
const noNames: Names = {}
const MOST_ASKED = 100

/** Names by id, of those who created a task that was shown. */
export const useCreatorNames = (): Names =>
  useQuery<Names>({ queryKey: namesKey, queryFn: skipToken, gcTime: Number.POSITIVE_INFINITY }).data ??
  noNames

/** Loads the names of those who created these tasks, for users who may not list the accounts. */
export const useTaskCreators = (tasks: readonly { id: string; createdBy: string }[]) => {
  const me = useMe()
  const known = useCreatorNames()
  const unknown = new Map(
    tasks
      .filter(({ createdBy }) => !(createdBy in others) && !(createdBy in known) && createdBy !== me?.id)
      .map(({ id, createdBy }) => [createdBy, id]),
  )
  const ids = [...unknown.keys()].toSorted().slice(0, MOST_ASKED)
  useQuery({
    queryKey: [...namesKey, ids],
    enabled: me?.role === 'user' && ids.length > 0,
    retry: false,
    queryFn: async ({ signal }) => {
      const asked = ids.map((id) => unknown.get(id) ?? id)
      const { creators } = await client.taskCreators({ query: { tasks: asked } }, { signal })
      // Those without an account are shown by id.
      const names = { ...Object.fromEntries(ids.map((id) => [id, id])), ...byId(creators) }
      queryClient.setQueryData<Names>(namesKey, (before) => ({ ...before, ...names }))
      return names
    },
  })
}

const byId = (people: readonly { id: string; name: string }[]): Names =>
  Object.fromEntries(people.map(({ id, name }) => [id, name]))

export const useUserName = () => {
  const me = useMe()
  const people = usePeople()
  const creators = useCreatorNames()
  return (id: string): string =>
    others[id] ??
    people.find((one) => one.id === id)?.name ??
    (me?.id === id ? me.name : (creators[id] ?? id))
}
