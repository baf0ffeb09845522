import { setTimeout as sleep } from 'node:timers/promises'
import type { BulkJob, BulkPreview, BulkResults } from '../bulk/schema.ts'
import { EXIT } from './exit-codes.ts'
import { type Service, steadily } from './service.ts'
import { interruptible, safeLine, type Terminal } from './terminal.ts'

const LOOK_MS = 500

type Call = {
  service: Service
  terminal: Terminal
  json: boolean
  /** Skips the confirmation that a terminal asks for. */
  yes: boolean
  isDry?: boolean
  /** False to return when the job was accepted. */
  wait?: boolean
  /** Whether the items were named by their ids, which are not counted first. */
  isNamed?: boolean
  /** The action, such as `retry`, and its object, such as `task`. */
  verb: string
  thing: string
  /** The items that the selection leaves out. */
  without?: string
}

const counted = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

type Answer = { job: BulkJob } | BulkPreview
/** Asks the service for the job, or with `dryRun` only for the number of its items. */
type Ask = (dryRun: boolean) => Promise<Answer>

/**
 * Starts a bulk job, which continues when this program ends; waits for its end, which for a retry is the end of its tasks,
 * and prints the result. Without an item there is no job. Resolves to the exit code: failed when an item was refused, or
 * a retried task did not complete.
 */
export const inBulk = async (ask: Ask, call: Call): Promise<number> => {
  const { terminal, json, isNamed = false, wait = true } = call
  const refused = isNamed ? undefined : await preview(ask, call)
  if (refused !== undefined) return refused
  using waiting = interruptible()
  const { job } = (await ask(false)) as { job: BulkJob }
  // Awaited here, since `waiting` ends with this function.
  if (wait) return await follow(job, call, waiting.signal)
  if (json) terminal.json({ job })
  else terminal.out(job.id)
  return EXIT.done
}

/** Counts the items, and asks on a terminal. Resolves to the exit code where there is no job to start. */
const preview = async (ask: Ask, call: Call): Promise<number | undefined> => {
  const { terminal, json, yes, isDry = false, verb, thing, without } = call
  const beside = without === undefined ? '' : `, without ${without}`
  const { count } = (await ask(true)) as BulkPreview
  if (isDry || count === 0) {
    if (json) terminal.json({ count })
    else if (isDry) terminal.out(`${counted(count, thing)} ${count === 1 ? 'matches' : 'match'}${beside}`)
    else terminal.say(`No ${thing}s to ${verb}${beside}.`)
    return EXIT.done
  }
  const mayAsk = !yes && !json && terminal.isInteractive
  const isConfirmed =
    !mayAsk || (await terminal.confirm(`${capitalized(verb)} ${counted(count, thing)}${beside}?`))
  return isConfirmed ? undefined : EXIT.cancelled
}

const follow = async (asked: BulkJob, call: Call, signal: AbortSignal): Promise<number> => {
  const { id } = asked
  const { say } = call.terminal
  const page = `${call.service.url}/bulk/${id}`
  const left = `Show the job: agent-tasks api getBulk id=${id}\nCancel the job: agent-tasks api cancelBulk id=${id}`
  if (!call.json) say(`${id}  ${page}`)
  try {
    return show(await followToEnd(asked, call, signal), call)
  } catch (error) {
    if (!signal.aborted) {
      say(`${id} may still be running: ${page}\n${left}`)
      throw error
    }
    say(`\nThe job continues: ${page}\n${left}`)
    return EXIT.interrupted
  }
}

const followToEnd = async (asked: BulkJob, call: Call, signal: AbortSignal): Promise<BulkJob> => {
  const { service, terminal, json } = call
  let job = asked
  try {
    while (job.status === 'running') {
      if (!json) terminal.progress(progressLine(job, call))
      await sleep(LOOK_MS, undefined, { signal })
      const look = () => service.client.getBulk({ params: { id: job.id } }, { signal })
      job = (await steadily(look, signal)).job
    }
    return job
  } finally {
    if (!json) terminal.progress('')
  }
}

const progressLine = ({ done, failed, total, results }: BulkJob, { verb, thing }: Call): string =>
  results === undefined || done + failed < total
    ? `${verb}: ${done + failed} of ${counted(total, thing)}`
    : `${verb}: ${resultsLine(results)}`

const resultsLine = ({ completed, failed, running, cancelled = 0 }: BulkResults): string =>
  [
    `${completed} completed`,
    `${failed} failed again`,
    cancelled > 0 ? `${cancelled} cancelled` : '',
    running > 0 ? `${running} still running` : '',
  ]
    .filter(Boolean)
    .join(', ')

type Failure = BulkJob['failures'][number]

/** A line for a failed item: its page, its title if it has one, and the error. */
const failureLine = (url: string, target: BulkJob['target'], { id, title, error }: Failure): string => {
  const item = encodeURIComponent(id)
  const page = target === 'tasks' ? `${url}/tasks/${item}` : `${url}/queue?status=all&item=${item}`
  return `${page}  ${title === undefined ? '' : `${safeLine(title)}: `}${safeLine(error)}`
}

const show = (job: BulkJob, { service, terminal, json, verb, thing }: Call): number => {
  const { results } = job
  const queued = results === undefined ? '' : ` queued again, ${resultsLine(results)}`
  if (json) terminal.json({ job })
  else
    terminal.out(`${verb}: ${job.done} of ${counted(job.total, thing)}${queued}, ${job.id} is ${job.status}`)
  for (const failure of job.failures) terminal.say(failureLine(service.url, job.target, failure))
  const listed = job.failures.length
  if (job.failed > listed) terminal.say(`${job.failed - listed} more failed`)
  if (job.status === 'cancelled') return EXIT.cancelled
  const { failed: failedAgain = 0, cancelled = 0 } = results ?? {}
  return job.failed + failedAgain + cancelled === 0 ? EXIT.done : EXIT.failed
}
