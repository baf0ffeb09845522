import { useQuery } from '@tanstack/react-query'
import { client } from './client.ts'
import { tasksKey } from './tasks.ts'

const MOST_TASKS = 200

/** The repositories of the newest tasks, each with its branches, the latest first. */
export const useUsedRepositories = () =>
  useQuery({
    queryKey: [...tasksKey, 'repositories'],
    queryFn: async ({ signal }) => {
      const query = { limit: MOST_TASKS, fields: ['repository' as const, 'branch' as const] }
      const { tasks } = await client.listTasks({ query }, { signal })
      const branches = new Map<string, Set<string>>()
      for (const { repository, branch } of tasks) {
        if (repository === undefined) continue
        const known = branches.get(repository) ?? new Set()
        branches.set(repository, branch === undefined ? known : known.add(branch))
      }
      return branches
    },
    staleTime: 60_000,
  })
