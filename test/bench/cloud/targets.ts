import { atMost, type Row } from '../row.ts'
import type { Measured } from './measure.ts'
import { ANALYTICS, NEWEST, NEWEST_OF_STATUS, QUEUE_STATUS } from './operations.ts'

const row = (measure: string, unit: string, ours: number, against: number) =>
  atMost(1, { measure, unit, ours, against, opponent: 'limit' })

/** The promise about SQS: so many requests a task, at ten to a batch and as the worker is deployed. */
export const requestTarget = (batchSize: number, { sends, source }: { sends: number; source: number }): Row =>
  row(`SQS requests a task, ${batchSize} to a batch`, '', sends + source, 5)

/** The promises about what lists read, held against what was measured. */
export const capacityTargets = (find: (name: string) => Measured, rows: number): Row[] => {
  const read = (name: string, limit: number, of = '') => row(`${name}${of}`, 'RU', find(name).read, limit)
  const ofTasks = ` of ${rows.toLocaleString('en-US')}`
  return [
    read(NEWEST, 16, ofTasks),
    read(NEWEST_OF_STATUS, 16, ofTasks),
    read(QUEUE_STATUS, 8),
    read(ANALYTICS, 8),
  ]
}
