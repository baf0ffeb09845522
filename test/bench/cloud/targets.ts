import { atMost, type Row } from '../row.ts'
import type { Measured } from './measure.ts'
import {
  ANALYTICS,
  LARGE_CREATE,
  LARGE_RUN,
  NEWEST,
  NEWEST_OF_STATUS,
  QUEUE_STATUS,
  RUN,
  SMALL_CREATE,
} from './operations.ts'

const row = (measure: string, unit: string, ours: number, against: number) =>
  atMost(1, { measure, unit, ours, against, opponent: 'limit' })

/** The promise about SQS: so many requests a task, at ten to a batch and as the worker is deployed. */
export const requestTarget = (batchSize: number, { sends, source }: { sends: number; source: number }): Row =>
  row(`SQS requests a task, ${batchSize} to a batch`, '', sends + source, 5)

/** The promises about capacity, held against what was measured. */
export const capacityTargets = (find: (name: string) => Measured, tasks: number): Row[] => {
  const small = find(SMALL_CREATE).write + find(RUN).write
  const large = find(LARGE_CREATE).write + find(LARGE_RUN).write
  const read = (name: string, limit: number, of = '') => row(`${name}${of}`, 'RU', find(name).read, limit)
  const ofTasks = ` of ${tasks.toLocaleString('en-US')}`
  return [
    row('created, claimed, completed at 0.6 kB', 'WU', small, 20),
    row('the same with a prompt of 3 kB, more', 'WU', large - small, 10),
    read(NEWEST, 16, ofTasks),
    read(NEWEST_OF_STATUS, 16, ofTasks),
    read(QUEUE_STATUS, 8),
    read(ANALYTICS, 8),
  ]
}
