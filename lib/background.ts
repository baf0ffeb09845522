import type { Config } from './config.ts'
import type { Domains, Ports } from './domains.ts'
import type { Announce } from './notifications/schema.ts'
import type { Consumer } from './ports/queue.ts'
import type { RunTask } from './tasks/schema.ts'
import { every } from './worker/beat.ts'

const TICK_MS = 1_000
const REPAIR_MS = 10_000
const SWEEP_MS = 60_000
const MEMORY_MS = 60_000
const SWEEP_ROWS = 1_000
/** Running work may end by itself for this long at a shutdown; with the agents' own grace it stays below 10 s. */
const DRAIN_MS = 5_000
/** What is being sent then may end too; the next process sends the rest. */
const LAST_SENDS_MS = 1_500

/** The receiving sides of the queues. */
export type Consumers = { tasks: Consumer<RunTask>; notifications: Consumer<Announce> }
type Sweep = { expiredRows(limit: number): Promise<number>; workspaces(): Promise<unknown> }

/**
 * What goes on besides requests in a long-lived process: the workers, the heartbeat of running work, the tick that
 * repairs, the sweep that tidies.
 */
export const createBackground = (
  { clock, log }: Pick<Ports, 'clock' | 'log'>,
  domains: Domains,
  consumers: Consumers,
  config: Config,
  sweep: Sweep,
) => {
  const { tasks, outbox, gateway, deliveries, inbound, memory, active, worker, lastExit, ahead } = domains
  let jobs: (() => Promise<void>)[] = []
  let beginning: Promise<boolean> | undefined
  let stopped = false

  /** Takes up what the last process left, then starts the workers. */
  const start = async () => {
    const { resent, recovered } = await tasks.recovery.afterRestart()
    await outbox.resend()
    if (resent + recovered > 0) log.info({ resent, recovered }, 'took up unfinished tasks')
    if (stopped) return
    beginning = lastExit.begin()
    ahead.allowed = await beginning
    if (stopped) return
    consumers.tasks.start(({ body }) => worker.run(body))
    consumers.notifications.start(({ body }) => outbox.deliver(body))
    jobs = [
      every({ clock, log }, 'heartbeat', config.TASK_LEASE_MS / 3, active.beat),
      every({ clock, log }, 'tick', TICK_MS, async () => {
        await tasks.recovery.tick(active.has)
        await outbox.resend(10 * TICK_MS)
      }),
      every({ clock, log }, 'deliveries', TICK_MS, deliveries.sendDue),
      every({ clock, log }, 'gateway', REPAIR_MS, gateway.repair),
      every({ clock, log }, 'webhook events', REPAIR_MS, inbound.repair),
      // What the watcher did not hear of, or the provider of embeddings refused.
      every({ clock, log }, 'memory', MEMORY_MS, memory.syncIfChanged),
      every({ clock, log }, 'sweep', SWEEP_MS, async () => {
        while ((await sweep.expiredRows(SWEEP_ROWS)) >= SWEEP_ROWS);
        await sweep.workspaces()
      }),
    ]
  }

  const withinMs = (ms: number, work: Promise<void>) =>
    Promise.race([work, new Promise<void>((resolve) => void clock.after(ms, resolve))])

  /** Takes no new work; what runs may end, then is told to stop and given back. The heartbeat goes on until the end. */
  const stop = async () => {
    stopped = true
    gateway.release()
    const drained = Promise.all([consumers.tasks.drain(), consumers.notifications.drain()])
    const cancel = clock.after(DRAIN_MS, () => active.stopAll('shutdown'))
    await drained
    cancel()
    await worker.settled()
    deliveries.stop()
    await withinMs(LAST_SENDS_MS, deliveries.settled())
    await Promise.all(jobs.map((end) => end()))
    // Whoever has begun nothing leaves what is known of the last process.
    if (beginning === undefined) return
    await beginning
    await lastExit.end()
  }

  return { start, stop }
}
