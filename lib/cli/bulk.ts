import { setTimeout as sleep } from 'node:timers/promises'
import type { BulkJob, BulkPreview } from '../bulk/schema.ts'
import { EXIT } from './exit-codes.ts'
import type { Filter } from './selection.ts'
import { type Service, steadily } from './service.ts'
import { safeLine, type Terminal } from './terminal.ts'

const LOOK_MS = 500

type Call = {
  service: Service
  terminal: Terminal
  json: boolean
  /** Skips the confirmation that a terminal asks for. */
  yes: boolean
  isDry?: boolean
  /** The action, such as `retry`, and its objects, such as `tasks`. */
  verb: string
  things: string
  /** What the selection leaves out. */
  without?: string
}

type Answer = { job: BulkJob } | BulkPreview
type Ask = (dryRun: boolean) => Promise<Answer>

type BulkFilter = Extract<Parameters<Service['client']['bulkTasks']>[0], object>['body']['filter']

/** The tasks that a filter selects. The service validates the fields. */
export const askTasks =
  ({ client }: Service, action: 'cancel' | 'retry', filter: Filter): Ask =>
  (dryRun) =>
    client.bulkTasks({ body: { action, filter: filter as BulkFilter, dryRun } })

/** The dead letters of these ids; without ids all pending ones. */
export const askDlq =
  ({ client }: Service, action: 'retry' | 'discard', ids?: readonly string[]): Ask =>
  (dryRun) =>
    client.bulkDlq({ body: { action, dryRun, ...(ids ? { ids: [...ids] } : { filter: {}, all: true }) } })

/**
 * Starts a bulk job, which continues when this program ends; waits for its end and prints the result. Resolves to the
 * exit code: failed when an item was refused.
 */
export const inBulk = async (ask: Ask, call: Call): Promise<number> => {
  const { terminal, json, yes, isDry = false, verb, things, without } = call
  const beside = without === undefined ? '' : `, without ${without}`
  if (isDry || (!yes && !json && terminal.isInteractive)) {
    const { count } = (await ask(true)) as BulkPreview
    if (isDry) {
      if (json) terminal.json({ count })
      else terminal.out(`${count} ${things} fit${beside}`)
      return EXIT.done
    }
    if (!(await terminal.confirm(`${verb} ${count} ${things}${beside}?`))) return EXIT.cancelled
  }
  const { job } = (await ask(false)) as { job: BulkJob }
  return show(await ended(job, call), call)
}

const ended = async (asked: BulkJob, { service }: Call): Promise<BulkJob> => {
  const { signal } = new AbortController()
  let job = asked
  while (job.status === 'running') {
    await sleep(LOOK_MS)
    const answer = await steadily(() => service.client.getBulk({ params: { id: job.id } }), signal)
    job = answer.job
  }
  return job
}

const show = (job: BulkJob, { terminal, json, verb, things }: Call): number => {
  if (json) terminal.json({ job })
  else terminal.out(`${verb}: ${job.done} of ${job.total} ${things}, ${job.id} is ${job.status}`)
  for (const { id, error } of job.failures) terminal.say(`${id}: ${safeLine(error)}`)
  const listed = job.failures.length
  if (job.failed > listed) terminal.say(`${job.failed - listed} more failed`)
  if (job.status === 'cancelled') return EXIT.cancelled
  return job.failed === 0 ? EXIT.done : EXIT.failed
}
