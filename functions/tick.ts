import { openJobs } from '../lib/app/cloud-jobs.ts'
import { openSending } from '../lib/app/cloud-sending.ts'
import { readConfig } from '../lib/config.ts'

/** An announcement is sent again when nobody delivered it within this span. */
const UNTOLD_MS = 60_000

const open = () => {
  const config = readConfig()
  return openJobs(config, openSending(config, false))
}
let opened: ReturnType<typeof open> | undefined

/**
 * What has become due: leases that ran out, tasks that the queue has not got, announcements that nobody heard, totals
 * that a death left wrong, deliveries whose time has come.
 */
export const handler = async (): Promise<void> => {
  opened ??= open()
  const { tasks, outbox, gateway, deliveries, settings } = opened
  await settings.refresh()
  await tasks.recovery.tick(() => false)
  await outbox.resend(UNTOLD_MS)
  await tasks.checkCounters()
  await gateway.repair()
  await deliveries.sendDue()
  await deliveries.settled()
}
