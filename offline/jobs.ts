import { createClock } from '../lib/adapters/node/clock.ts'
import type { Config } from '../lib/config.ts'
import type { Log } from '../lib/ports/log.ts'
import { every } from '../lib/worker/beat.ts'
import { startPoller } from './sqs-poller.ts'
import type { Stack } from './stack.ts'

const TICK_MS = 1_000

/**
 * What AWS does with the functions that no request calls: messages are fed to them, and the schedule fires, here each
 * second. The environment must name the stack by now.
 */
export const startJobs = async ({ sqs, queues, timeouts }: Stack, config: Config, log: Log) => {
  const [worker, notify, dlq, tick, jobs] = await Promise.all([
    import('../functions/worker.ts'),
    import('../functions/notify.ts'),
    import('../functions/dlq.ts'),
    import('../functions/tick.ts'),
    import('../lib/app/cloud-jobs.ts'),
  ])
  await takeUp(jobs.openJobs(config), log)
  const task = { client: sqs, batchSize: 1, handler: worker.handler, timeoutMs: timeouts.taskTimeoutMs, log }
  const short = { client: sqs, batchSize: 10, timeoutMs: timeouts.notificationTimeoutMs, concurrency: 1, log }
  const pollers = [
    startPoller({ ...task, queueUrl: queues.urgent, concurrency: 2 }),
    startPoller({ ...task, queueUrl: queues.tasks, concurrency: config.QUEUE_CONCURRENCY }),
    startPoller({ ...short, queueUrl: queues.notifications, handler: notify.handler }),
    startPoller({ ...short, queueUrl: queues.deadLetters, handler: dlq.handler }),
  ]
  const endTick = every({ clock: createClock(), log }, 'tick', TICK_MS, tick.handler)
  return {
    stop: async () => {
      await Promise.all([endTick(), ...pollers.map((poller) => poller.stop())])
    },
  }
}

/** The tables may have outlived the queues, which are in memory here: what was under way goes on. */
const takeUp = async (jobs: ReturnType<typeof import('../lib/app/cloud-jobs.ts').openJobs>, log: Log) => {
  const { resent, recovered } = await jobs.tasks.recovery.afterRestart()
  if (resent + recovered > 0) log.info({ resent, recovered }, 'took up unfinished tasks')
}
