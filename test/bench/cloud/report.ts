import type { Cold } from './cold.ts'
import { columns, figure } from './columns.ts'
import type { Deployed } from './deployed.ts'
import { billedMs, gbSeconds } from './lambda-time.ts'
import type { Measured } from './measure.ts'
import type { Units } from './meter.ts'

const HEADS = ['operation', 'by', 'ms', 'CPU ms', 'calls', 'waits', 'billed', 'GB-s', 'RU', 'WU', 'SQS', 'S3']

type Needs = { deployed: Deployed; tripMs: number }

/** What each operation takes; GB-seconds are those of a thousand. */
export const operationTable = (all: readonly Measured[], { deployed, tripMs }: Needs): string => {
  const rows = all.map((measured) => {
    const { name, by, ms, cpuMs, calls, trips, read, write, sqs, s3 } = measured
    const memoryMb = deployed.memoryMb(by)
    const there = billedMs(measured, { memoryMb, tripMs })
    const units = [gbSeconds(there * 1_000, memoryMb), read, write, sqs, s3]
    return [name, by, ...[ms, cpuMs, calls, trips, there, ...units].map(figure)]
  })
  return columns(HEADS, rows, 2)
}

export const coldTable = (all: readonly Cold[]): string =>
  columns(
    ['cold start', 'import ms', 'first answer ms', 'together ms', 'CPU ms'],
    all.map(({ by, importMs, firstMs, cpuMs }) => [
      by,
      ...[importMs, firstMs, importMs + firstMs, cpuMs].map(figure),
    ]),
    1,
  )

/** How the figures came about, for whoever reads them. */
export const explanation = (tripMs: number): string =>
  [
    'ms, CPU ms: medians of warm invocations in a process of their own, against emulators on this machine, whose latency',
    'stands in for that of AWS; the CPU is what is ours. calls: of AWS; waits: times that a function waited for some.',
    `billed: ms as Lambda would bill it: what is computed takes longer by the share of a processor that the function's`,
    `memory in serverless.yml buys, each wait ${tripMs} ms more (--trip-ms). GB-s, of a thousand. RU, WU: the largest of`,
    'three. What the event source asks of SQS is not in the table.',
  ].join('\n')

/** What the derived lines of the table are. */
export const derived = (progress: Pick<Units, 'write'>, perSecond: Pick<Units, 'read' | 'write'>): string =>
  [
    `A progress event takes ${figure(progress.write)} WU; while its agent works, a run takes ${perSecond.read.toFixed(2)} RU`,
    `and ${perSecond.write.toFixed(2)} WU a second: it looks whether it is still its own, and renews its lease.`,
  ].join('\n')
