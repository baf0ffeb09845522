import type { InvocationContext } from '../lib/adapters/aws/sqs/sqs-batch.ts'
import { openCloud } from '../lib/app/cloud.ts'
import { openedOnce } from '../lib/app/cloud-function.ts'
import { stuckTasks } from '../lib/app/cloud-jobs.ts'
import { type RecurringWork, recurringWork } from '../lib/composition/recurring.ts'
import { errorMessage } from '../lib/core/errors.ts'

const opened = openedOnce(async (config) => {
  const cloud = await openCloud(config)
  const { settings, ports } = cloud
  const { clock, log } = ports
  /** A task that the tick could not recover does not fail the tick; it raises an alarm. */
  const report = (left: number): void => {
    if (left > 0) log.error(stuckTasks(config.TABLE_PREFIX, left, clock.now()), 'tasks are stuck')
  }
  const steps: Omit<RecurringWork, 'everyMs'>[] = [
    { name: 'settings', work: settings.refresh },
    ...recurringWork(cloud, ports, report),
  ]
  return { log, steps }
})

/**
 * Does due work. A failed step does not stop the others; the invocation fails after the last one. A step without enough
 * time is logged and left to the next tick.
 */
export const handler = async (_event: unknown, context: InvocationContext): Promise<void> => {
  const { log, steps } = await opened()
  const leftMs = context.getRemainingTimeInMillis
  const failed: string[] = []
  for (const { name: step, needsMs = 0, work } of steps) {
    if (leftMs() < needsMs) {
      log.warn({ step, leftMs: leftMs() }, 'a step of the tick is left to the next one')
      continue
    }
    try {
      await work(leftMs)
    } catch (thrown) {
      log.error({ step, reason: errorMessage(thrown) }, 'a step of the tick failed')
      failed.push(step)
    }
  }
  if (failed.length > 0) throw new Error(`The tick failed: ${failed.join(', ')}`)
}
