import { useQuery } from '@tanstack/react-query'
import { client } from './client.ts'
import { connectionsKey, useConnection } from './integrations.ts'
import { useUsedRepositories } from './task-history.ts'

const KEPT_MS = 5 * 60_000
/** What cannot be listed is typed. */
const quietly = { staleTime: KEPT_MS, retry: false, refetchOnWindowFocus: false } as const

/** The repositories of the newest tasks, then others that the linked account reaches; and of one of them the branches. */
export const useRepositories = (chosen: string) => {
  const { data: used = new Map<string, ReadonlySet<string>>() } = useUsedRepositories()
  const isLinked = useConnection('codehost').data?.connected === true
  const { data: reachable = [] } = useQuery({
    ...quietly,
    queryKey: [...connectionsKey, 'codehost', 'repositories'],
    enabled: isLinked,
    queryFn: async ({ signal }) => (await client.listReachableRepositories({}, { signal })).repositories,
  })
  const reached = reachable.find(({ name }) => name === chosen)
  const { data: branches = [] } = useQuery({
    ...quietly,
    queryKey: [...connectionsKey, 'codehost', 'branches', chosen],
    enabled: reached !== undefined,
    queryFn: async ({ signal }) =>
      (await client.listReachableBranches({ query: { repository: chosen } }, { signal })).branches,
  })
  return {
    repositories: [...new Set([...used.keys(), ...reachable.map(({ name }) => name)])],
    branches: [...new Set([...(used.get(chosen) ?? []), ...branches])],
    defaultBranch: reached?.defaultBranch,
  }
}
