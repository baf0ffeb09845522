import type { Clock } from '../ports/clock.ts'
import type { TaskRow } from '../tasks/schema.ts'
import type { Holds } from './service.ts'

const HOLD = 'hold:'
const RUNNER = 'runner'
const NO_RUNNERS = { version: '', haveOneFor: () => false }
/** A task may have been made to wait by a process that had not yet read the latest settings. */
const LOOK_AGAIN_MS = 600_000

type Needs = {
  holds: Holds
  budgets: {
    holdingBack(task: TaskRow): Promise<{ until?: string | undefined } | undefined>
    /** Changes whenever tasks may start that waited for a budget. */
    version(): string
  }
  /** The runners that take tasks: which of them there are, and whether a task is for any of them. */
  runners: () => Promise<{ version: string; haveOneFor: (task: TaskRow) => boolean }>
  /** The queued tasks that wait, by their reason and provider: `hold:anthropic`, `budget`. May lag behind the tasks. */
  waiting: () => Promise<Readonly<Record<string, number>>>
  /** The status of a task; undefined when it is gone. */
  status: (taskId: string) => Promise<TaskRow['status'] | undefined>
  /** Lets queued tasks go on for which the function gives no time; resolves to the number of failures. */
  letGo: (
    heldUntil: (row: TaskRow) => Promise<string | undefined>,
    isForRunner: (row: TaskRow) => boolean,
  ) => Promise<number>
  clock: Pick<Clock, 'monotonic'>
}

/**
 * Lets tasks go on that waited for holds which have ended, one for each hold that is due, those whose budget allows it
 * again, and those that were stored as waiting for a runner once one takes tasks that they are for. Call it by the clock: what a process that died has left is continued, since it reads only what is stored.
 */
export const createRelease = ({ holds, budgets, runners, waiting, status, letGo, clock }: Needs) => {
  let released: { holds: number; budgets: string; runners: string; at: number } | undefined

  const probeState = async (taskId: string): Promise<'active' | 'completed' | 'over'> => {
    const now = await status(taskId)
    if (now === 'completed') return 'completed'
    return now === undefined || now === 'failed' || now === 'cancelled' ? 'over' : 'active'
  }

  const heldUntil = async (task: TaskRow): Promise<string | undefined> => {
    const { reason, provider } = task.waiting ?? {}
    const budget = await budgets.holdingBack(task)
    if (reason === 'budget') return budget?.until
    // It goes on to wait for its budget: as the probe of a hold it would be in the way of others.
    if (budget !== undefined) return undefined
    return provider && (await holds.holdingBack([provider], task.id))?.until
  }

  const mayGoOn = (provider: string): boolean => {
    const hold = holds.lastRead().find((one) => one.provider === provider)
    return hold === undefined || (holds.isDue(hold) && hold.probe === undefined)
  }

  /** Whether anything has changed for tasks that wait since they were last looked through. */
  const isDue = (counts: Readonly<Record<string, number>>, runnersNow: string): boolean => {
    const reasons = Object.keys(counts).filter((reason) => (counts[reason] ?? 0) > 0)
    if (reasons.length === 0) return false
    if (released === undefined || released.holds !== holds.version()) return true
    const isOld = released.at < clock.monotonic() - LOOK_AGAIN_MS
    if (reasons.includes(RUNNER) && (released.runners !== runnersNow || isOld)) return true
    if (reasons.some((reason) => reason.startsWith(HOLD) && mayGoOn(reason.slice(HOLD.length)))) return true
    return reasons.includes('budget') && (released.budgets !== budgets.version() || isOld)
  }

  return async (): Promise<number> => {
    await holds.settleProbes(probeState)
    const counts = await waiting()
    await holds.removeUnused((provider) => (counts[`${HOLD}${provider}`] ?? 0) > 0)
    const waitingForRunner = counts[RUNNER] ?? 0
    const { version, haveOneFor } = waitingForRunner > 0 ? await runners() : NO_RUNNERS
    const runnersNow = `${waitingForRunner} ${version}`
    if (!isDue(counts, runnersNow)) return 0
    const before = { budgets: budgets.version(), runners: runnersNow, at: clock.monotonic() }
    const left = await letGo(heldUntil, haveOneFor)
    released = { ...before, holds: holds.version() }
    return left
  }
}
