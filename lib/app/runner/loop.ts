import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { badSetting } from '../../core/bad-setting.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import {
  type Claim,
  ClaimKeySchema,
  ClaimSchema,
  type OfferedAgent,
  PROTOCOL,
  type Report,
  type RunnerSettings,
} from '../../runners/schema.ts'
import { VERSION } from '../../version.ts'
import type { createActiveRuns } from '../../worker/active.ts'
import type { createWorker } from '../../worker/worker.ts'
import { type ClaimLink, createClaimLink, sendLeft } from './claim-link.ts'
import {
  isFinal,
  isOfService,
  isRefusedToken,
  type Persist,
  type RunnerClient,
  triedAgain,
} from './connection.ts'
import type { Outcomes } from './outcomes.ts'

/** Of one poll. */
const MOST_CLAIMS = 50
const POLL_MS = 25_000
/** The network may take this much longer than the poll itself. */
const POLL_GRACE_MS = 10_000
/** How often it is looked whether other agents were installed. */
const OFFER_MS = 30_000
/** The time for running work at a stop, and then for the last answers of the service. */
const DRAIN_MS = 5_000
const LAST_WRITES_MS = 4_000

type Stop = { taskId: string; fence: number; reason: 'cancelled' | 'lost' }
type Answer = { claim?: Claim; more: Claim[]; stop: Stop[] }

/** What is read of an answer before its claims are. */
const PollAnswer = z.object({
  claim: z.looseObject({}).optional(),
  more: z.array(z.unknown()).default([]),
  stop: z.array(ClaimKeySchema.extend({ reason: z.enum(['cancelled', 'lost']) })),
})
const ClaimKeyInClaim = z.object({ task: z.object({ id: z.string() }), fence: z.int() })
/** What a run cannot begin without. */
const ReadableClaim = ClaimSchema.pick({
  ...{ attempt: true, fence: true, leaseMs: true, workspace: true, policy: true },
}).extend({ task: z.object({ id: z.string(), agent: z.string() }) })

/** Answers of a service to a poll by which it ends its runner for good. */
const ENDS = new Set(['runner_replaced', 'runners_off'])
/** The service has forgotten the runner; or the role of its owner has changed: the next poll tells whether the token is still valid. */
const GOES_ON = new Set(['runner_not_found', 'rights_ended'])

type Needs = {
  settings: RunnerSettings
  client: RunnerClient
  persist: Persist
  outcomes: Outcomes
  /** The links of the runs, by task. */
  links: Map<string, ClaimLink>
  active: ReturnType<typeof createActiveRuns>
  worker: ReturnType<typeof createWorker>
  target: (type: string) => Promise<Report['target']>
  learnPolicy: (policy: Claim['policy']) => void
  /** Takes the time of the service, from its answer to a request that was made at `askedAt` of the monotonic clock. */
  hear: (now: number, askedAt: number) => void
  /** Claims are renewed every `heartbeatMs`. */
  onRegistered: (heartbeatMs: number) => void
  offered: () => Promise<OfferedAgent[]>
  isolation: 'bubblewrap' | 'users' | 'none'
  clock: Clock
  ids: Pick<Ids, 'next'>
  log: Log
}

/** Registers the runner, then polls for tasks and runs them, one poll at a time. */
export const createRunnerLoop = (needs: Needs) => {
  const { settings, client, persist, outcomes, links, active, worker, clock, ids, log } = needs
  const { name, concurrency } = settings
  const stopping = new AbortController()
  const looped = Promise.withResolvers<void>()
  let registered: { id: string; registration: number; mostBodyBytes?: number | undefined } | undefined
  let offered: { agents: OfferedAgent[]; at: number } = { agents: [], at: 0 }
  let free = concurrency
  /** Whether it has a claim, and takes no other one. */
  let hasItsClaim = false
  let polls = 0
  let wake = new AbortController()
  /** Whether the present poll asks for tasks. */
  let takes = false
  const runs = new Set<Promise<void>>()
  /** The links of all claims that this runner has, also of those whose run has not begun. */
  const held = new Set<ClaimLink>()
  /** Those of which the service has said that they are over: it need not say so again. */
  const ended = new WeakSet<ClaimLink>()

  const id = (): string => {
    if (registered === undefined) throw new Error('The runner is not registered')
    return registered.id
  }

  /** Throws Problem `bad_setting` with what the service says of a refused runner. */
  const register = async () => {
    try {
      offered = { agents: await needs.offered(), at: clock.monotonic() }
      const body = {
        name,
        version: VERSION,
        protocol: PROTOCOL,
        labels: [...settings.labels],
        agents: offered.agents,
        concurrency,
        isolation: needs.isolation,
      }
      const request = async () => {
        const askedAt = clock.monotonic()
        const answer = await client.registerRunner({ body }).catch((thrown: unknown) => {
          // At the start it tells that the address is wrong.
          const isOfOther = isFinal(thrown) && !isOfService(thrown)
          throw isOfOther && registered !== undefined ? triedAgain(thrown) : thrown
        })
        needs.hear(Date.parse(answer.now), askedAt)
        return answer
      }
      const { runner, registration, mostBodyBytes, heartbeatMs } = await persist(
        'the registration',
        request,
        { signal: stopping.signal, isFirst: registered === undefined },
      )
      needs.onRegistered(heartbeatMs)
      registered = { id: runner.id, registration, mostBodyBytes }
      const agents = offered.agents.map(({ type }) => type)
      const { labels } = settings
      log.info(
        { runner: name, id: runner.id, labels, agents, isolation: needs.isolation },
        'the runner is registered',
      )
    } catch (thrown) {
      throw isFinal(thrown) ? badSetting(`The service rejected the runner: ${thrown.message}`) : thrown
    }
  }

  const ofClaims = { client, persist, outcomes, ids, log }

  const sendOutcomes = async () => {
    for (const outcome of outcomes.left())
      await sendLeft({ ...ofClaims, runnerId: id() }, outcome).catch((thrown) =>
        log.error({ taskId: outcome.taskId, reason: errorMessage(thrown) }, 'an outcome was not sent'),
      )
  }

  /** Whether it ends: with `once`, after its run. */
  const isDone = () => hasItsClaim && held.size === 0

  /** A slot is free again: a poll that asks for no task is out of date. */
  const endPoll = () => wake.abort()

  /** Runs a claim once the earlier runs in its workspace have ended: one of the same task may still be stopped. */
  const runInTurn = async (link: ClaimLink) => {
    const { task, attempt, fence, resume, workspace } = link.claim
    const earlier = [...held].filter((other) => other !== link && other.claim.workspace === workspace)
    await Promise.all(earlier.map(({ over }) => over))
    if (link.isLost) return link.close()
    try {
      if (stopping.signal.aborted)
        return await link.end({ kind: 'stopped', reason: 'shutdown', isUnbegun: true })
      links.set(task.id, link)
      await worker.run({ taskId: task.id, attempt, fence, ...(resume && { resume: true as const }) })
    } catch (thrown) {
      log.error({ taskId: task.id, reason: errorMessage(thrown) }, 'a run could not begin')
      if (links.get(task.id) === link) links.delete(task.id)
    }
    // Its end is written later, by the worker.
    if (links.get(task.id) !== link) link.close()
  }

  const begin = async (claim: Claim) => {
    const { error } = ReadableClaim.safeParse(claim)
    if (error) throw new Error(`it cannot read ${error.issues.map(({ path }) => path.join('.')).join(', ')}`)
    needs.learnPolicy(claim.policy)
    const link = createClaimLink(claim, await needs.target(claim.task.agent), {
      ...ofClaims,
      runnerId: id(),
      mostBodyBytes: registered?.mostBodyBytes,
      onLost: () => active.stop(claim.task.id, 'lost'),
    })
    free -= 1
    const run = runInTurn(link).then(() => {
      free += 1
      if (!takes) endPoll()
    })
    held.add(link)
    void link.over.then(() => {
      held.delete(link)
      if (hasItsClaim) endPoll()
    })
    runs.add(run)
    void run.then(() => runs.delete(run))
  }

  const stopEnded = (stop: readonly Stop[]) => {
    for (const { taskId, fence, reason } of stop)
      for (const link of held) {
        if (link.claim.task.id !== taskId || link.claim.fence !== fence) continue
        ended.add(link)
        if (links.get(taskId) === link) active.stop(taskId, reason)
        else link.lose()
      }
  }

  const running = () =>
    [...held]
      .filter((link) => !ended.has(link))
      .map(({ claim: { task, fence } }) => ({ taskId: task.id, fence }))

  /** Ends a claim that this runner cannot begin, which counts as an attempt: it would be handed out again for ever. */
  const refuse = async (claim: unknown, thrown: unknown) => {
    const { data } = ClaimKeyInClaim.safeParse(claim)
    // The service queues it again with the next poll, which does not name it.
    if (data === undefined) throw new Error('The service answered a claim that cannot be read')
    const { task, fence } = data
    const message = `The runner could not start: ${errorMessage(thrown, 500)}`
    log.error({ taskId: task.id, reason: errorMessage(thrown) }, 'a claim could not begin')
    const end = { kind: 'failed', error: { code: 'bad_claim', message }, retryable: true } as const
    await client.endClaim({ params: { id: id(), taskId: task.id }, body: { fence, end } })
  }

  /** Begins claims, and tells whether any has begun. */
  const beginEach = async (claims: readonly Claim[]): Promise<boolean> => {
    let hasBegun = false
    for (const claim of claims)
      await begin(claim).then(
        () => {
          hasBegun = true
        },
        (thrown) => refuse(claim, thrown),
      )
    return hasBegun
  }

  const poll = async () => {
    // The run may have ended while the service was away.
    if (isDone()) return false
    wake = new AbortController()
    const { id, registration } = registered as { id: string; registration: number }
    const signal = AbortSignal.any([
      stopping.signal,
      wake.signal,
      AbortSignal.timeout(POLL_MS + POLL_GRACE_MS),
    ])
    takes = free > 0 && !hasItsClaim
    const most = Math.min(Math.max(free, 1), MOST_CLAIMS)
    const body = { waitMs: POLL_MS, registration, number: nextPoll(), most, takes, running: running() }
    const askedAt = clock.monotonic()
    const response = await client.claimTask.raw({ params: { id }, body }, { signal })
    if (response.status === 204) return false
    const { claim, more, stop } = PollAnswer.parse(await response.json()) as Answer
    stopEnded(stop)
    // The last poll returns the claims that come when the runner stops.
    if (claim === undefined || stopping.signal.aborted) return false
    // A service of an earlier version does not say it.
    if (claim.now !== undefined) needs.hear(Date.parse(claim.now), askedAt)
    return beginEach([claim, ...more])
  }

  const nextPoll = () => {
    polls += 1
    return polls
  }

  /** Says which claims this runner has: the service queues one again whose answer came too late for it. */
  const pollLast = async () => {
    if (registered === undefined) return
    const { id, registration } = registered
    const body = { waitMs: 0, registration, number: nextPoll(), takes: false, running: running() }
    const signal = AbortSignal.timeout(LAST_WRITES_MS)
    await client.claimTask
      .raw({ params: { id }, body }, { signal })
      .catch((thrown) => log.warn({ reason: errorMessage(thrown) }, 'the last poll was not answered'))
  }

  /** Agents that were installed since, or removed, are made known by another registration. */
  const offerAgain = async () => {
    if (clock.monotonic() - offered.at < OFFER_MS) return
    offered.at = clock.monotonic()
    const present = await needs.offered().catch(() => offered.agents)
    if (!isDeepStrictEqual(present, offered.agents)) await register()
  }

  /** Resolves to whether a run has begun. Throws Problem `bad_setting` when the service has refused this runner for good. */
  const pollSafely = async (): Promise<boolean> => {
    try {
      return await persist('the poll', () => poll().catch(failedPoll), { signal: stopping.signal })
    } catch (thrown) {
      if (!isFinal(thrown)) throw thrown
      if (!GOES_ON.has(thrown.code)) throw badSetting(`The service rejected the runner: ${thrown.message}`)
      if (thrown.code === 'rights_ended') return false
      log.warn({ runner: name }, 'the service does not know the runner any more: it registers again')
      await register()
      return false
    }
  }

  /** A poll is made again after any answer but those that are about this runner, such as one that is too large. */
  const failedPoll = (thrown: unknown): false => {
    if (wake.signal.aborted && !stopping.signal.aborted) return false
    if (!isFinal(thrown)) throw thrown
    const isOfRunner = isRefusedToken(thrown) || ENDS.has(thrown.code) || GOES_ON.has(thrown.code)
    throw isOfRunner && isOfService(thrown) ? thrown : triedAgain(thrown)
  }

  const pollUntilStopped = async () => {
    while (!stopping.signal.aborted && !isDone()) {
      const hasBegun = await pollSafely()
      hasItsClaim ||= settings.once && hasBegun
      if (!stopping.signal.aborted) await offerAgain()
    }
  }

  /** Registers and polls until it is stopped, or its one run is over with `once`. */
  const work = async () => {
    try {
      await register()
      const sending = sendOutcomes()
      await pollUntilStopped()
      if (!stopping.signal.aborted) await sending
    } catch (thrown) {
      if (!stopping.signal.aborted) throw thrown
    }
  }

  return {
    id,
    isRegistered: () => registered !== undefined,
    run: async (): Promise<void> => {
      await work().finally(looped.resolve)
      if (stopping.signal.aborted) return
      await Promise.all(runs)
      await worker.settled()
    },
    stop: async (): Promise<void> => {
      stopping.abort(new Error('The runner is stopping'))
      const cancel = clock.after(DRAIN_MS, () => active.stopAll('shutdown'))
      const drained = looped.promise
        .then(pollLast)
        .then(() => Promise.all(runs))
        .then(worker.settled)
      await Promise.race([
        drained,
        new Promise<void>((resolve) => void clock.after(DRAIN_MS + LAST_WRITES_MS, resolve)),
      ])
      cancel()
    },
  }
}
