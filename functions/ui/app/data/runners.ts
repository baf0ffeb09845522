import { useChange } from './change.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'

/** No event says that a runner was heard of, or what it runs. */
const SEEN_EVERY_MS = 15_000

const key = ['runners'] as const

export const useRunners = (enabled = true) =>
  useLive(key, async (signal) => (await client.listRunners({}, { signal })).runners, SEEN_EVERY_MS, {
    enabled,
  })

export type Runner = NonNullable<ReturnType<typeof useRunners>['data']>[number]

const MOST_TITLES = 100

/** The titles of running tasks by id; those of the oldest where there are many. */
export const useRunningTitles = (enabled: boolean) =>
  useLive(
    ['tasks', 'running-titles'],
    async (signal) => {
      const query = { status: ['in_progress' as const], limit: MOST_TITLES, sortOrder: 'asc' as const }
      const { tasks } = await client.filterTasks({ query }, { signal })
      return new Map(tasks.map(({ id, title }) => [id, title]))
    },
    EVERY_MS.list,
    { enabled },
  )

const useRunnerChange = <Given, Answer>(change: (given: Given) => Promise<Answer>) =>
  useChange(change, key, ['agents'], ['health'], ['tokens'])

export const useDrainRunner = () =>
  useRunnerChange(({ id, draining }: { id: string; draining: boolean }) =>
    client.drainRunner({ params: { id }, body: { draining } }),
  )

/** Its API token is revoked with it. */
export const useRemoveRunner = () => useRunnerChange((id: string) => client.removeRunner({ params: { id } }))
