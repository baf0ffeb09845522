import type { Domains } from '../composition/domains.ts'
import type { Ports } from '../composition/ports.ts'
import { recurringWork } from '../composition/recurring.ts'
import type { Config } from '../config/config.ts'
import { Problem } from '../core/errors.ts'
import type { Consumer, Fits, Receiving } from '../ports/queue.ts'
import { fitsService, toOffer } from '../runners/offers.ts'
import type { RunTask } from '../tasks/schema.ts'
import { every } from '../worker/beat.ts'
import type { LocalNotice, LocalTurn } from './local-delivery.ts'

/** How often it is decided anew which tasks this process leaves to runners. */
const REFIT_MS = 5_000
const SWEEP_EVERY_MS = 60_000
const SWEEP_ROWS = 1_000
/** The time for running work at a shutdown; with the agents' grace period it stays below 10 s. */
const DRAIN_MS = 5_000
/** Turns stop before their requests are cut after 5 s: a tool may take a second of that to end. */
const TURNS_MS = 3_500
/** The time for running sends; the next process sends the rest. */
const LAST_SENDS_MS = 1_500

type Consumers = {
  tasks: Consumer<RunTask> & Pick<Receiving<RunTask>, 'refit'>
  notices: Consumer<LocalNotice>
  turns: Consumer<LocalTurn>
}
type Upkeep = {
  /** Begins to deliver the messages of changes. */
  deliverMessages(): void
  expiredRows(limit: number): Promise<number>
  workspaces(): Promise<unknown>
}

/** The work beside requests in a long-lived process: the workers, heartbeats, the ticks of due work, and the sweep. */
export const createBackground = (
  ports: Pick<Ports, 'processes' | 'clock' | 'log' | 'tracing'>,
  domains: Domains,
  consumers: Consumers,
  config: Config,
  upkeep: Upkeep,
) => {
  const { clock, log, tracing } = ports
  const { tasks, deliveries, active, worker, agentSessions } = domains
  let jobs: (() => Promise<void>)[] = []
  let stopRefits: (() => Promise<void>) | undefined
  let stopped = false

  /** The tasks that this process runs itself: agents may be installed, and runners registered, while it runs. */
  const ownTasks = async (): Promise<Fits<RunTask>> => {
    const { registry } = domains.runners
    const [own, all, takers] = await Promise.all([
      domains.agents.ownTypes(),
      registry.all(),
      registry.takers(),
    ])
    const types = new Set(own)
    const offers = { registered: all.map(toOffer), taking: takers.map(toOffer) }
    return (message) => fitsService(message, types, offers)
  }

  /** Continues the work of the last process, then starts the workers. */
  const start = async () => {
    await agentSessions.recover(true)
    const { resent, recovered } = await tasks.recovery.afterRestart()
    upkeep.deliverMessages()
    if (resent + recovered > 0) log.info({ resent, recovered }, 'unfinished tasks were recovered')
    if (stopped) return
    if (config.WORKER === 'on') {
      consumers.tasks.start(({ body }) => worker.run(body), await ownTasks())
      stopRefits = every(ports, 'own tasks', REFIT_MS, async () => consumers.tasks.refit(await ownTasks()))
    }
    consumers.notices.start(async ({ body: { notice, handled } }) => {
      try {
        await domains.handleNotice(notice)
      } catch (thrown) {
        // The subject of the notice does not exist: a repeat would not help.
        if (!(thrown instanceof Problem) || thrown.kind !== 'missing') throw thrown
      }
      handled()
    })
    consumers.turns.start(async ({ body: { turn, handled } }) => {
      // The trace of the request that wakes the queue is not that of this turn.
      await tracing.within({}, () => domains.continueTurn(turn))
      handled()
    })
    const job = (name: string, everyMs: number, work: () => unknown) => every(ports, name, everyMs, work)
    jobs = [
      job('heartbeat', config.TASK_LEASE_MS / 3, active.beat),
      ...recurringWork(domains, ports).map(({ name, everyMs, work }) => job(name, everyMs, () => work())),
      job('sweep', SWEEP_EVERY_MS, async () => {
        while ((await upkeep.expiredRows(SWEEP_ROWS)) >= SWEEP_ROWS);
        await upkeep.workspaces()
      }),
    ]
  }

  const withinMs = (ms: number, work: Promise<void>) =>
    Promise.race([work, new Promise<void>((resolve) => void clock.after(ms, resolve))])

  /** Accepts no new work; running work may end, else it is stopped and queued again. The heartbeat goes on. */
  const stop = async () => {
    stopped = true
    domains.gateway.release()
    const sessionsEnded = agentSessions.stopAll('SHUTDOWN')
    const drained = Promise.all([
      ...Object.values(consumers).map((consumer) => consumer.drain()),
      domains.turns.settled(),
    ])
    const cancel = clock.after(DRAIN_MS, () => active.stopAll('shutdown'))
    const cancelTurns = clock.after(TURNS_MS, domains.turns.stopAll)
    await drained
    cancel()
    cancelTurns()
    await worker.settled()
    await withinMs(DRAIN_MS, sessionsEnded)
    await domains.toolCalls.settled()
    deliveries.stop()
    await withinMs(LAST_SENDS_MS, deliveries.settled())
    await Promise.all([...jobs, stopRefits].map((end) => end?.()))
  }

  return { start, stop }
}
