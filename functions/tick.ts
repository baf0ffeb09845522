import { openJobs } from '../lib/app/cloud-jobs.ts'
import { openSending } from '../lib/app/cloud-sending.ts'
import { readConfig } from '../lib/config.ts'
import { messageOf } from '../lib/core/errors.ts'

/** An announcement is sent again when nobody delivered it within this span. */
const UNTOLD_MS = 60_000

const open = () => {
  const config = readConfig()
  return openJobs(config, openSending(config, false))
}
let opened: ReturnType<typeof open> | undefined

/** What has become due, in the order in which it is done. */
const stepsOf = ({ tasks, outbox, gateway, deliveries, settings }: ReturnType<typeof open>) => [
  { step: 'settings', work: settings.refresh },
  { step: 'abandoned tasks', work: () => tasks.recovery.tick(() => false) },
  { step: 'untold announcements', work: () => outbox.resend(UNTOLD_MS) },
  { step: 'totals', work: tasks.checkCounters },
  { step: 'gateway', work: gateway.repair },
  { step: 'deliveries', work: deliveries.sendDue },
  { step: 'deliveries under way', work: deliveries.settled },
]

/** Does what has become due. A step that fails costs the others nothing; the invocation fails after the last one. */
export const handler = async (): Promise<void> => {
  opened ??= open()
  const failed: string[] = []
  for (const { step, work } of stepsOf(opened)) {
    try {
      await work()
    } catch (thrown) {
      opened.log.error({ step, reason: messageOf(thrown) }, 'a step of the tick failed')
      failed.push(step)
    }
  }
  if (failed.length > 0) throw new Error(`The tick failed: ${failed.join(', ')}`)
}
