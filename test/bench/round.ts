import { openConnection } from './connection.ts'
import { createTasks } from './load.ts'
import { quantile } from './quantile.ts'
import type { System } from './system.ts'
import { checkSample, completedCount, takeStarts, untilCompleted } from './watch.ts'

/** What one round of tasks came to. Dispatch is from writing the POST to the first line of the agent's code. */
export type Round = { tasksPerS: number; dispatchP50Ms: number; dispatchP99Ms: number; postP99Ms: number }

/** Sends `count` tasks through a system: creates them, waits until all are completed, reads a sample back. */
export const runRound = async (system: System, count: number): Promise<Round> => {
  const watcher = await openConnection(system.port)
  const before = await completedCount(watcher)
  const created = await createTasks(system.port, count)
  // Polled only now, so that the polling takes nothing from the producers.
  const endMs = await untilCompleted(watcher, before + count)
  watcher.close()
  const starts = await takeStarts(system)
  await checkSample(
    system.port,
    created.map(({ id }) => id),
  )
  const firstMs = Math.min(...created.map(({ sentMs }) => sentMs))
  const dispatch = created.map(({ id, sentMs }) => startTime(starts, id) - sentMs)
  const post = created.map(({ sentMs, answeredMs }) => answeredMs - sentMs)
  return {
    tasksPerS: (count / (endMs - firstMs)) * 1000,
    dispatchP50Ms: quantile(dispatch, 0.5),
    dispatchP99Ms: quantile(dispatch, 0.99),
    postP99Ms: quantile(post, 0.99),
  }
}

const startTime = (starts: ReadonlyMap<string, number>, id: string): number => {
  const start = starts.get(id)
  if (start === undefined) throw new Error(`Task ${id} was never started`)
  return start
}
