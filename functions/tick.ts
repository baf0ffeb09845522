import { openJobs } from '../lib/app/cloud-jobs.ts'

/** An announcement is sent again when nobody delivered it within this span. */
const UNTOLD_MS = 60_000

let opened: ReturnType<typeof openJobs> | undefined

/** What has become due: leases that ran out, tasks that the queue has not got, announcements that nobody heard. */
export const handler = async (): Promise<void> => {
  opened ??= openJobs()
  const { tasks, outbox } = opened
  await tasks.recovery.tick(() => false)
  await outbox.resend(UNTOLD_MS)
}
