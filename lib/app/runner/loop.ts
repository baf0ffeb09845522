import { badSetting } from '../../core/bad-setting.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import {
  type Claim,
  type OfferedAgent,
  PROTOCOL,
  type Report,
  type RunnerSettings,
} from '../../runners/schema.ts'
import { VERSION } from '../../version.ts'
import type { createActiveRuns } from '../../worker/active.ts'
import type { createWorker } from '../../worker/worker.ts'
import { type ClaimLink, createClaimLink, sendLeft } from './claim-link.ts'
import { isFinal, type Persist, type RunnerClient } from './connection.ts'
import type { Outcomes } from './outcomes.ts'

/** Of one poll. */
const MOST_CLAIMS = 50
const POLL_MS = 25_000
/** The network may take this much longer than the poll itself. */
const POLL_GRACE_MS = 10_000
/** The time for running work at a stop, and then for the last answers of the service. */
const DRAIN_MS = 5_000
const LAST_WRITES_MS = 4_000

type Stop = { taskId: string; fence: number; reason: 'cancelled' | 'lost' }
type Answer = { claim?: Claim; more?: Claim[]; stop: Stop[] }

type Needs = {
  settings: RunnerSettings
  client: RunnerClient
  persist: Persist
  outcomes: Outcomes
  links: Map<string, ClaimLink>
  active: ReturnType<typeof createActiveRuns>
  worker: ReturnType<typeof createWorker>
  target: (type: string) => Promise<Report['target']>
  learnPolicy: (policy: Claim['policy']) => void
  /** `now` is the time of the service; claims are renewed every `heartbeatMs`. */
  onRegistered: (facts: { now: number; heartbeatMs: number }) => void
  offered: () => Promise<OfferedAgent[]>
  isolation: 'bubblewrap' | 'users' | 'none'
  clock: Clock
  log: Log
}

/** Registers the runner, then polls for tasks and runs them, one poll at a time. */
export const createRunnerLoop = (needs: Needs) => {
  const { settings, client, persist, outcomes, links, active, worker, clock, log } = needs
  const { name, concurrency } = settings
  const stopping = new AbortController()
  let registered: { id: string; registration: number } | undefined
  let free = concurrency
  let wake = new AbortController()
  /** Whether the present poll asks for tasks. */
  let takes = false
  const runs = new Set<Promise<void>>()

  const id = (): string => {
    if (registered === undefined) throw new Error('The runner is not registered')
    return registered.id
  }

  /** Throws Problem `bad_setting` with what the service says of a refused runner. */
  const register = async () => {
    try {
      const { runner, registration, now, heartbeatMs } = await persist(
        'the registration',
        async () =>
          client.registerRunner({
            body: {
              name,
              version: VERSION,
              protocol: PROTOCOL,
              labels: [...settings.labels],
              agents: await needs.offered(),
              concurrency,
              isolation: needs.isolation,
            },
          }),
        stopping.signal,
      )
      needs.onRegistered({ now: Date.parse(now), heartbeatMs })
      registered = { id: runner.id, registration }
      log.info({ runner: name, id: runner.id, labels: settings.labels }, 'the runner is registered')
    } catch (thrown) {
      throw isFinal(thrown) ? badSetting(`The service refused the runner: ${thrown.message}`) : thrown
    }
  }

  const ofClaims = { client, persist, outcomes, log }

  const sendOutcomes = async () => {
    for (const outcome of outcomes.left())
      await sendLeft({ ...ofClaims, runnerId: id() }, outcome).catch((thrown) =>
        log.error({ taskId: outcome.taskId, reason: errorMessage(thrown) }, 'an outcome was not sent'),
      )
  }

  /** A slot is free again: a poll that asks for no task is out of date. */
  const endPoll = () => wake.abort()

  const begin = async (claim: Claim) => {
    const { task, attempt, fence, resume } = claim
    needs.learnPolicy(claim.policy)
    const link = createClaimLink(claim, await needs.target(task.agent), {
      ...ofClaims,
      runnerId: id(),
      onLost: () => active.stop(task.id, 'lost'),
    })
    links.set(task.id, link)
    free -= 1
    const message = { taskId: task.id, attempt, fence, ...(resume && { resume: true as const }) }
    const run = worker
      .run(message)
      .catch((thrown) =>
        log.error({ taskId: task.id, reason: errorMessage(thrown) }, 'a run could not begin'),
      )
      .then(() => {
        free += 1
        if (!takes) endPoll()
      })
    runs.add(run)
    void run.then(() => runs.delete(run))
  }

  const stopEnded = (stop: readonly Stop[]) => {
    for (const { taskId, fence, reason } of stop)
      if (links.get(taskId)?.claim.fence === fence) {
        ended.add(`${taskId} ${fence}`)
        active.stop(taskId, reason)
      }
  }
  /** Claims of which the service has said that they are over: it need not say so again. */
  const ended = new Set<string>()

  const running = () =>
    [...links.values()]
      .map(({ claim: { task, fence } }) => ({ taskId: task.id, fence }))
      .filter(({ taskId, fence }) => !ended.has(`${taskId} ${fence}`))

  const poll = async () => {
    wake = new AbortController()
    const { id, registration } = registered as { id: string; registration: number }
    const signal = AbortSignal.any([
      stopping.signal,
      wake.signal,
      AbortSignal.timeout(POLL_MS + POLL_GRACE_MS),
    ])
    takes = free > 0
    const most = Math.min(Math.max(free, 1), MOST_CLAIMS)
    const body = { waitMs: POLL_MS, registration, most, takes, running: running() }
    const response = await client.claimTask.raw({ params: { id }, body }, { signal })
    if (response.status === 204) return
    const { claim, more = [], stop } = (await response.json()) as Answer
    stopEnded(stop)
    for (const each of claim === undefined ? [] : [claim, ...more]) await begin(each)
    return claim
  }

  /** Throws Problem `bad_setting` when the service has refused this runner for good. */
  const pollSafely = async () => {
    try {
      return await persist('the poll', () => poll().catch(ignoreWake), stopping.signal)
    } catch (thrown) {
      if (!isFinal(thrown)) throw thrown
      if (thrown.status !== 404) throw badSetting(`The service refused the runner: ${thrown.message}`)
      log.warn({ runner: name }, 'the service does not know the runner any more: it registers again')
      await register()
      return undefined
    }
  }

  const ignoreWake = (thrown: unknown) => {
    if (wake.signal.aborted && !stopping.signal.aborted) return undefined
    throw thrown
  }

  return {
    id,
    isRegistered: () => registered !== undefined,
    run: async (): Promise<void> => {
      await register()
      const sending = sendOutcomes()
      try {
        while (!stopping.signal.aborted) {
          const claim = await pollSafely()
          if (claim !== undefined && settings.once) break
        }
      } catch (thrown) {
        if (!stopping.signal.aborted) throw thrown
      }
      await sending
      if (settings.once && !stopping.signal.aborted) {
        await Promise.all(runs)
        await worker.settled()
      }
    },
    stop: async (): Promise<void> => {
      stopping.abort(new Error('The runner stops'))
      const cancel = clock.after(DRAIN_MS, () => active.stopAll('shutdown'))
      await Promise.race([
        Promise.all(runs).then(() => worker.settled()),
        new Promise<void>((resolve) => void clock.after(DRAIN_MS + LAST_WRITES_MS, resolve)),
      ])
      cancel()
    },
  }
}
