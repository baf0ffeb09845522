import { setTimeout as sleep } from 'node:timers/promises'
import { createClock } from '../lib/adapters/node/clock.ts'
import type { Cloud } from '../lib/app/cloud.ts'
import type { Config } from '../lib/config/config.ts'
import type { Log } from '../lib/ports/log.ts'
import { every } from '../lib/worker/beat.ts'
import { createInvocations } from './invocation.ts'
import { startPoller } from './sqs-poller.ts'
import type { Stack } from './stack.ts'

const TICK_MS = 1_000
/** As in serverless.yml. */
const TICK_TIMEOUT_MS = 55_000
/** The time for running work at the end, as in `npm start`. */
const DRAIN_MS = 5_000
/** The time for sends of a tick; the next process finds the rest. */
const LAST_SENDS_MS = 1_500

/**
 * Does what AWS does with functions that no request calls: passes them messages, and runs the schedule, here each second.
 * The environment must name the stack before.
 */
export const startJobs = async ({ sqs, queues, follow, timeouts }: Stack, config: Config, log: Log) => {
  const [worker, notify, dlq, stream, tick, { openCloud }] = await Promise.all([
    import('../functions/worker.ts'),
    import('../functions/notify.ts'),
    import('../functions/dlq.ts'),
    import('../functions/stream.ts'),
    import('../functions/tick.ts'),
    import('../lib/app/cloud.ts'),
  ])
  // The first event opens the worker: an error in its settings has to show now.
  await worker.handler({ Records: [] }, { getRemainingTimeInMillis: () => timeouts.taskTimeoutMs })
  await takeUp(await openCloud(config), log)
  const task = { client: sqs, batchSize: 1, handler: worker.handler, timeoutMs: timeouts.taskTimeoutMs, log }
  const short = { client: sqs, batchSize: 10, timeoutMs: timeouts.notificationTimeoutMs, log }
  const deadLetters = { concurrency: 1, handler: dlq.handler }
  const concurrency = config.QUEUE_NOTIFICATION_CONCURRENCY
  // A message beyond the pool would wait for a slot in this process, ahead of more urgent ones.
  const workers = Math.min(config.QUEUE_CONCURRENCY, config.POOL_MAX_CONCURRENT)
  const pollers = [
    startPoller({ ...task, queueUrl: queues.urgent, concurrency: 2 }),
    startPoller({ ...task, queueUrl: queues.tasks, concurrency: workers }),
    startPoller({ ...short, queueUrl: queues.notifications, concurrency, handler: notify.handler }),
    startPoller({ ...short, queueUrl: queues.deadLetters, ...deadLetters }),
    startPoller({ ...short, queueUrl: queues.notificationDeadLetters, ...deadLetters }),
    await follow(stream.handler, log),
  ]
  const invokeTick = createInvocations(tick.handler, TICK_TIMEOUT_MS)
  const endTick = every({ clock: createClock(), log }, 'tick', TICK_MS, () => invokeTick({}))
  /** Takes no more messages; running work may end, is then stopped and returned. */
  const stop = async () => {
    const late = setTimeout(() => worker.handler.stop('shutdown'), DRAIN_MS)
    const ticked = endTick()
    await Promise.all(pollers.map((poller) => poller.stop()))
    clearTimeout(late)
    await Promise.race([ticked, sleep(LAST_SENDS_MS)])
  }
  return { stop }
}

/** The tables outlive the queues, which are in memory here: interrupted tasks continue. */
const takeUp = async ({ tasks }: Cloud, log: Log) => {
  const { resent, recovered } = await tasks.recovery.afterRestart()
  if (resent + recovered > 0) log.info({ resent, recovered }, 'unfinished tasks were recovered')
}
