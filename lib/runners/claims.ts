import { Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { repeat } from '../core/repeat.ts'
import { iso } from '../core/time.ts'
import type { AgentContext } from '../ports/agent.ts'
import type { Clock } from '../ports/clock.ts'
import type { AccountFor } from '../ports/code-host.ts'
import type { Log } from '../ports/log.ts'
import type { Fits, Received, Receiving } from '../ports/queue.ts'
import type { PolicySource } from '../security/schema.ts'
import { publicTask, type RunTask, SESSION_TOO_LARGE, type TaskError, type TaskRow } from '../tasks/schema.ts'
import { fittingClaim } from './claim-size.ts'
import { offerFits, toOffer } from './offers.ts'
import type { Polls } from './polls.ts'
import type { Registry } from './registry.ts'
import type { RunnerRow } from './rows.ts'
import type { Claim } from './schema.ts'

/** How often a poll looks whether the claims of its runner still hold. */
const LOOK_MS = 1_000

type ClaimKey = { taskId: string; fence: number }
type Ended = ClaimKey & { reason: 'cancelled' | 'lost' }
type Poll = {
  most: number
  waitMs: number
  registration?: number | undefined
  number?: number | undefined
  takes: boolean
  running: readonly ClaimKey[]
}

type Needs = {
  /** A stored task, with its large fields where asked. */
  readTask: (taskId: string, detail?: boolean) => Promise<TaskRow | undefined>
  registry: Pick<Registry, 'find' | 'takers'>
  polls: Polls
  /** Absent where runners get no tasks. */
  queue: Pick<Receiving<RunTask>, 'receive'> | undefined
  claim: (message: RunTask, runner: string) => Promise<TaskRow | undefined>
  release: (leased: TaskRow, reason: string, how: { isUnbegun: true }) => Promise<unknown>
  /** Adds a message to the events of a task. */
  note: (task: TaskRow, message: string) => Promise<unknown>
  /** Fails a task for good. */
  fail: (leased: TaskRow, error: TaskError) => Promise<unknown>
  place: (task: TaskRow, resumes: boolean) => Promise<Pick<AgentContext, 'workspace' | 'earlier'>>
  codeHost: { accountFor: AccountFor; isWanted: () => boolean }
  securityMode: () => Claim['securityMode']
  isLocalAdmin: (userId: string) => boolean
  policy: PolicySource
  leaseMs: number
  /** The most bytes of an answer, as `bodyBytes` counts them; absent where there is no limit. */
  mostBodyBytes?: number | undefined
  /** The longest wait of a poll where another one is given up on its way; absent where none is. */
  longestPollMs?: number | undefined
  clock: Clock
  log: Log
}

/** A run that was ended to wait for a decision has no lease. */
const isLeasedTo = ({ name }: Pick<RunnerRow, 'name'>, row: TaskRow | undefined, fence: number): boolean =>
  row?.status === 'in_progress' &&
  row.fence === fence &&
  row.runner === name &&
  row.leaseExpiresAt !== undefined

const UNREADABLE = 'the claims of a runner could not be read'
const NOT_TAKEN = ['The runner did not get the claim', { isUnbegun: true }] as const

const TOO_LARGE: TaskError = {
  code: 'claim_too_large',
  message: 'The task is too large for a runner: its data exceeds the 6 MB limit of a function',
}

/** Hands tasks of the queue to runners that wait for them. */
export const createRunnerClaims = (needs: Needs) => {
  const { readTask, registry, polls, queue, claim, release, place, codeHost, policy, clock, log } = needs
  /** The latest poll of each runner. */
  const latest = new Map<string, { registration: number; number: number; later: AbortController }>()

  /**
   * The signal that a later poll of the runner has come; undefined for a poll that comes after a later one. The claims that
   * it names are out of date, and no process reads its answer.
   */
  const beginPoll = ({ id, registration }: RunnerRow, number?: number): AbortSignal | undefined => {
    const later = new AbortController()
    if (number === undefined) return later.signal
    const before = latest.get(id)
    if (before?.registration === registration && before.number >= number) return undefined
    before?.later.abort()
    latest.set(id, { registration, number, later })
    return later.signal
  }

  const endedIn = async (runner: RunnerRow, running: readonly ClaimKey[]): Promise<Ended[]> => {
    const ended = await Promise.all(
      running.map(async ({ taskId, fence }): Promise<Ended[]> => {
        const row = await readTask(taskId)
        if (isLeasedTo(runner, row, fence)) return []
        return [{ taskId, fence, reason: row?.status === 'cancelled' ? 'cancelled' : 'lost' }]
      }),
    )
    return ended.flat()
  }

  /** Returns the claims to the queue that their runner does not know of. Their attempts do not count. */
  const returnLost = async (
    runner: RunnerRow,
    answered: readonly ClaimKey[],
    running: readonly ClaimKey[],
  ): Promise<void> => {
    const known = new Set(running.map(({ taskId, fence }) => `${taskId} ${fence}`))
    for (const { taskId, fence } of answered) {
      if (known.has(`${taskId} ${fence}`)) continue
      const row = await readTask(taskId, true)
      if (row && isLeasedTo(runner, row, fence)) await release(row, ...NOT_TAKEN)
    }
  }

  const describe = async (row: TaskRow, runner: RunnerRow, resume: boolean): Promise<Claim> => {
    const resumes = runner.agents.some(({ type, canResume }) => type === row.agent && canResume === true)
    const [at, account, rules] = await Promise.all([
      place(row, resumes),
      row.repository === undefined ? undefined : codeHost.accountFor(row.createdBy),
      policy.current(),
    ])
    const { checkpoint, costBefore, attemptCost, refusals } = row
    return {
      task: publicTask(row),
      attempt: row.attempts,
      fence: row.fence,
      leaseMs: needs.leaseMs,
      resume,
      workspace: at.workspace,
      earlier: at.earlier as Claim['earlier'],
      checkpoint: (resume ? checkpoint : undefined) as Claim['checkpoint'],
      costBefore,
      attemptCost,
      refusals,
      credential: account && { token: account.token, scopes: [...account.scopes] },
      publishes: codeHost.isWanted(),
      securityMode: needs.securityMode(),
      ownerIsLocalAdmin: needs.isLocalAdmin(row.createdBy),
      policy: rules,
      now: iso(clock.now()),
    }
  }

  /** A claim as far as it fits an answer. Where the run cannot begin so, its task fails, and it resolves to undefined. */
  const fitted = async (claim: Claim, row: TaskRow): Promise<Claim | undefined> => {
    const { mostBodyBytes } = needs
    const fitting =
      mostBodyBytes === undefined ? { claim, isSessionCut: false } : fittingClaim(claim, mostBodyBytes)
    if (fitting === undefined) await needs.fail(row, TOO_LARGE)
    else if (fitting.isSessionCut) await needs.note(row, SESSION_TOO_LARGE.forReply)
    return fitting?.claim
  }

  /** Claims the task of a message for a runner; undefined where there is nothing to run. */
  const hand = async (
    runner: RunnerRow,
    poll: number,
    { body: message, giveBack, done }: Received<RunTask>,
    signal: AbortSignal,
  ): Promise<Claim | undefined> => {
    let row: TaskRow | undefined
    try {
      row = await claim(message, runner.name)
    } catch (thrown) {
      if (!(thrown instanceof Problem) || thrown.kind !== 'missing') {
        await giveBack()
        throw thrown
      }
    }
    // From here on the lease brings the task back. A message that comes again is refused by its fencing token.
    await done()
    if (row === undefined) return undefined
    try {
      // A run that was to go on from its checkpoint may be claimed anew.
      const resumes = message.resume === true || row.checkpoint !== undefined
      const described = await fitted(await describe(row, runner, resumes), row)
      if (described === undefined) return undefined
      signal.throwIfAborted()
      if (await polls.keep(runner, poll, { taskId: row.id, fence: row.fence })) return described
      await release(row, ...NOT_TAKEN)
      return undefined
    } catch (thrown) {
      await release(row, ...NOT_TAKEN)
      throw thrown
    }
  }

  /** What a runner may take, of the runners that take tasks now. */
  const fitsIn = async (runner: RunnerRow): Promise<Fits<RunTask>> => {
    const [offer, taking] = [toOffer(runner), (await registry.takers()).map(toOffer)]
    return (message) => offerFits(offer, message, taking)
  }

  /** Resolves to a message for the runner; undefined at the end of the wait, and once a claim of the runner has ended. */
  const nextMessage = async (runner: RunnerRow, { takes, running }: Poll, until: AbortSignal) => {
    const ended = new AbortController()
    const look = async () => {
      if ((await endedIn(runner, running)).length > 0) ended.abort()
    }
    const endLooks = running.length === 0 ? undefined : repeat({ clock, log }, LOOK_MS, look, UNREADABLE)
    const signal = AbortSignal.any([until, ended.signal])
    try {
      if (takes) return await queue?.receive(await fitsIn(runner), signal)
      await aborted(signal)
      return undefined
    } finally {
      endLooks?.()
    }
  }

  /** Whether a runner drains, was removed or replaced, or has begun another poll, while it waited. */
  const hasLeft = async (
    principal: Principal,
    { id, registration }: RunnerRow,
    poll: number,
  ): Promise<boolean> => {
    const present = await registry.find(principal, id).catch(() => undefined)
    if (present?.registration !== registration || present.takesNone !== undefined) return true
    return (present.polls ?? 0) !== poll
  }

  /**
   * Whether a claim that the poll names has run out, and its task is queued again: the runner hangs, or is without a
   * network. What it is given would be lost too.
   */
  const isSilent = async (running: readonly ClaimKey[]): Promise<boolean> => {
    const rows = await Promise.all(running.map(({ taskId }) => readTask(taskId)))
    return rows.some((row) => row?.status === 'queued' && row.error?.code === 'worker_lost')
  }

  /** Further messages for the runner that are ready now. */
  const readyNow = async (runner: RunnerRow, most: number): Promise<Received<RunTask>[]> => {
    if (most === 0 || queue === undefined) return []
    const soon = new AbortController()
    clock.after(0, () => soon.abort())
    const fits = await fitsIn(runner)
    const receive = () => queue.receive(fits, soon.signal)
    return (await Promise.all(Array.from({ length: most }, receive))).filter((one) => one !== undefined)
  }

  type Answer = { claim?: Claim; more?: Claim[]; stop: Ended[] } | 'nothing'

  /** Of several that are claimed at once, those that fail are queued again; the others are the runner's. */
  const handAll = async (
    runner: RunnerRow,
    poll: number,
    received: readonly Received<RunTask>[],
    gone: AbortSignal,
  ): Promise<Answer | undefined> => {
    const handed = await Promise.allSettled(received.map((one) => hand(runner, poll, one, gone)))
    const claims = handed.flatMap((one) => (one.status === 'fulfilled' ? (one.value ?? []) : []))
    const failed = handed.find((one) => one.status === 'rejected')
    if (claims.length === 0 && failed !== undefined) throw failed.reason
    const [claim, ...more] = claims
    return claim && { claim, ...(more.length > 0 && { more }), stop: [] }
  }

  /** One look of a poll; undefined when there is to be another one. */
  const lookOnce = async (
    principal: Principal,
    runner: RunnerRow,
    asked: Poll,
    { poll, until, gone }: { poll: number; until: AbortSignal; gone: AbortSignal },
  ): Promise<Answer | undefined> => {
    const stop = await endedIn(runner, asked.running)
    if (stop.length > 0) return { stop }
    if (until.aborted) return 'nothing'
    const received = await nextMessage(runner, asked, until)
    if (received === undefined) return undefined
    const all = [received]
    const giveBackAll = async () => {
      for (const one of all) await one.giveBack()
    }
    try {
      const most = Math.min(asked.most, polls.mostClaims)
      all.push(...(await readyNow(runner, most - 1)))
      const [left, silent] = await Promise.all([hasLeft(principal, runner, poll), isSilent(asked.running)])
      if (left || silent) {
        await giveBackAll()
        return left ? 'nothing' : undefined
      }
    } catch (thrown) {
      await giveBackAll()
      throw thrown
    }
    return handAll(runner, poll, all, gone)
  }

  /** Looks for a task, or the end of a claim, until there is an answer. */
  const waitForAnswer = async (
    principal: Principal,
    runner: RunnerRow,
    asked: Poll,
    { poll, unread }: { poll: number; unread: AbortSignal },
  ) => {
    const expired = new AbortController()
    const waitMs = Math.min(asked.waitMs, needs.longestPollMs ?? asked.waitMs)
    const cancel = clock.after(waitMs, () => expired.abort())
    const signals = { poll, until: AbortSignal.any([unread, expired.signal]), gone: unread }
    try {
      let answer: Answer | undefined
      while (answer === undefined) answer = await lookOnce(principal, runner, asked, signals)
      return answer === 'nothing' ? undefined : answer
    } finally {
      cancel()
    }
  }

  /**
   * Waits up to `waitMs` for a task that the runner may take, or for the end of one of its claims. Resolves to undefined when
   * neither came. Throws Problem `missing` for a runner that is not registered, and `invalid`: `runner_replaced` where
   * another process has registered in its name, `runners_off` where runners get no tasks.
   */
  const poll = async (principal: Principal, id: string, asked: Poll, gone: AbortSignal) => {
    if (queue === undefined) throw runnersOff()
    const runner = await registry.find(principal, id)
    const { registration = runner.registration, running } = asked
    if (registration !== runner.registration) throw replaced(runner)
    const later = beginPoll(runner, asked.number)
    if (later === undefined) return undefined
    const taskIds = running.map(({ taskId }) => taskId)
    const begun = await polls.begin(runner, taskIds, asked.number)
    if (begun === undefined) return undefined
    await returnLost(runner, begun.answered, running)
    const takes = asked.takes && runner.takesNone === undefined
    try {
      const unread = AbortSignal.any([gone, later])
      return await waitForAnswer(principal, runner, { ...asked, takes }, { poll: begun.poll, unread })
    } catch (thrown) {
      if (later.aborted) return undefined
      throw thrown
    }
  }

  return {
    poll,
    /** The row of a claim. Throws Problem `invalid` `lease_lost` where the runner does not have it. */
    leased: async (principal: Principal, id: string, { taskId, fence }: ClaimKey, detail = false) => {
      const runner = await registry.find(principal, id)
      const row = await readTask(taskId, detail)
      if (row === undefined || !isLeasedTo(runner, row, fence)) throw leaseLost(row)
      return row
    },
    /** As `leased`, also for a task that was cancelled while it had the claim. */
    leasedOrCancelled: async (principal: Principal, id: string, { taskId, fence }: ClaimKey) => {
      const runner = await registry.find(principal, id)
      const row = await readTask(taskId, true)
      const isCancelled = row?.status === 'cancelled' && row.fence === fence && row.runner === runner.name
      if (row === undefined || !(isCancelled || isLeasedTo(runner, row, fence))) throw leaseLost(row)
      return row
    },
  }
}

/** The refusal of runners by a deployment that leaves no tasks to them. */
export const runnersOff = () =>
  new Problem(
    'invalid',
    'runners_off',
    'Runners are turned off in this deployment. Deploy it with --param runners=on',
  )

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

const leaseLost = (row: TaskRow | undefined) =>
  new Problem(
    'invalid',
    'lease_lost',
    row?.status === 'cancelled'
      ? 'The task was cancelled'
      : 'The lease of this task has expired, or another runner has it',
  )

const replaced = ({ name }: RunnerRow) =>
  new Problem(
    'invalid',
    'runner_replaced',
    `Another process is registered as the runner ${name}. Each runner needs its own name and token`,
  )
