import { setTimeout as sleep } from 'node:timers/promises'
import { openConnection } from './connection.ts'
import { createTasks } from './load.ts'
import type { Options } from './options.ts'
import { residentMb } from './process-figures.ts'
import { atMost, type Row } from './row.ts'
import { startService } from './service.ts'
import { takeStarts, untilCompleted } from './watch.ts'

const TASKS = 100_000
const BATCH = 10_000

/** Resident memory of the node process: idle after its start, and what 100,000 finished tasks leave behind. */
export const memory = async ({ entry }: Options): Promise<Row[]> => {
  const service = await startService(entry)
  const pid = service.child.pid ?? 0
  const idle = await settledMb(pid)
  const watcher = await openConnection(service.port)
  for (let done = BATCH; done <= TASKS; done += BATCH) {
    await createTasks(service.port, BATCH)
    await untilCompleted(watcher, done)
    // The recorder in the agent is ours, so its notes must not count as the service's memory.
    await takeStarts(service)
  }
  watcher.close()
  const grown = (await settledMb(pid)) - idle
  await service.stop()
  const limit = { unit: 'MB', opponent: 'limit' }
  return [
    atMost(1, { measure: 'idle memory', ours: idle, against: 150, ...limit }),
    atMost(1, {
      measure: `growth over ${TASKS.toLocaleString('en-US')} tasks`,
      ours: grown,
      against: 60,
      ...limit,
    }),
  ]
}

/** Megabytes once they have moved by less than one for five seconds; what they are after thirty otherwise. */
const settledMb = async (pid: number): Promise<number> => {
  let last = residentMb(pid)
  for (let second = 0, calm = 0; second < 30 && calm < 5; second++) {
    await sleep(1_000)
    const now = residentMb(pid)
    calm = Math.abs(now - last) < 1 ? calm + 1 : 0
    last = now
  }
  return last
}
