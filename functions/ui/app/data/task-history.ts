import { useQuery } from '@tanstack/react-query'
import { client } from './client.ts'
import { tasksKey } from './tasks.ts'

const MOST_TASKS = 200

/** Of tasks whose repository could not be used. */
const UNUSABLE: readonly (string | undefined)[] = ['clone_failed', 'repository_invalid', 'repository_refused']

/** The repositories of the newest tasks that could use them, each with its branches, the latest first. */
export const useUsedRepositories = () =>
  useQuery({
    queryKey: [...tasksKey, 'repositories'],
    queryFn: async ({ signal }) => {
      const query = {
        limit: MOST_TASKS,
        fields: ['repository' as const, 'branch' as const, 'error' as const],
      }
      const { tasks } = await client.listTasks({ query }, { signal })
      const branches = new Map<string, Set<string>>()
      for (const { repository, branch, error } of tasks) {
        if (repository === undefined || UNUSABLE.includes(error?.code)) continue
        const known = branches.get(repository) ?? new Set()
        branches.set(repository, branch === undefined ? known : known.add(branch))
      }
      return branches
    },
    staleTime: 60_000,
  })
