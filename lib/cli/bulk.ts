import { setTimeout as sleep } from 'node:timers/promises'
import type { BulkJob, BulkPreview } from '../bulk/schema.ts'
import { EXIT } from './exit-codes.ts'
import { interruptible } from './interrupt.ts'
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
  /** Whether the items were named by their ids, which are not counted first. */
  isNamed?: boolean
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
    client.bulkDlq({ body: { action, dryRun, ...(ids ? { ids: [...ids] } : { filter: {} }) } })

/**
 * Starts a bulk job, which continues when this program ends; waits for its end and prints the result. Without an item
 * there is no job. Resolves to the exit code: failed when an item was refused.
 */
export const inBulk = async (ask: Ask, call: Call): Promise<number> => {
  const { terminal, json, yes, isDry = false, isNamed = false, verb, things, without } = call
  const beside = without === undefined ? '' : `, without ${without}`
  if (!isNamed) {
    const { count } = (await ask(true)) as BulkPreview
    if (isDry || count === 0) {
      if (json) terminal.json({ count })
      else if (isDry) terminal.out(`${count} ${things} fit${beside}`)
      else terminal.say(`Nothing matches: no ${things} to ${verb}${beside}.`)
      return EXIT.done
    }
    const mayAsk = !yes && !json && terminal.isInteractive
    if (mayAsk && !(await terminal.confirm(`${verb} ${count} ${things}${beside}?`))) return EXIT.cancelled
  }
  using waiting = interruptible()
  const { job } = (await ask(false)) as { job: BulkJob }
  // Awaited here, since `waiting` ends with this function.
  return await follow(job, call, waiting.signal)
}

const follow = async (asked: BulkJob, call: Call, signal: AbortSignal): Promise<number> => {
  const { id } = asked
  const { say } = call.terminal
  const page = `${call.service.url}/bulk/${id}`
  const left = `Look at it: agent-tasks api getBulk id=${id}\nStop it: agent-tasks api cancelBulk id=${id}`
  if (!call.json) say(`${id}  ${page}`)
  try {
    return show(await ended(asked, call, signal), call)
  } catch (error) {
    if (!signal.aborted) {
      say(`${id} may still be running: ${page}\n${left}`)
      throw error
    }
    say(`\nThe job goes on: ${page}\n${left}`)
    return EXIT.interrupted
  }
}

const ended = async (asked: BulkJob, call: Call, signal: AbortSignal): Promise<BulkJob> => {
  const { service, terminal, json, verb, things } = call
  let job = asked
  try {
    while (job.status === 'running') {
      if (!json) terminal.progress(`${verb}: ${job.done + job.failed} of ${job.total} ${things}`)
      await sleep(LOOK_MS, undefined, { signal })
      const look = () => service.client.getBulk({ params: { id: job.id } }, { signal })
      job = (await steadily(look, signal)).job
    }
    return job
  } finally {
    if (!json) terminal.progress('')
  }
}

type Failure = BulkJob['failures'][number]

/** A line for a failed item: its page, its title if it has one, and the error. */
const lineOf = (url: string, target: BulkJob['target'], { id, title, error }: Failure): string => {
  const item = encodeURIComponent(id)
  const page = target === 'tasks' ? `${url}/tasks/${item}` : `${url}/queue?status=all&item=${item}`
  return `${page}  ${title === undefined ? '' : `${safeLine(title)}: `}${safeLine(error)}`
}

const show = (job: BulkJob, { service, terminal, json, verb, things }: Call): number => {
  if (json) terminal.json({ job })
  else terminal.out(`${verb}: ${job.done} of ${job.total} ${things}, ${job.id} is ${job.status}`)
  for (const failure of job.failures) terminal.say(lineOf(service.url, job.target, failure))
  const listed = job.failures.length
  if (job.failed > listed) terminal.say(`${job.failed - listed} more failed`)
  if (job.status === 'cancelled') return EXIT.cancelled
  return job.failed === 0 ? EXIT.done : EXIT.failed
}
