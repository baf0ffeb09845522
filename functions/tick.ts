import { openJobs } from '../lib/app/cloud-jobs.ts'
import { leftLying } from '../lib/app/cloud-left-lying.ts'
import { joinCloudMemory } from '../lib/app/cloud-memory.ts'
import { openSending } from '../lib/app/cloud-sending.ts'
import { readConfig } from '../lib/config.ts'
import { messageOf } from '../lib/core/errors.ts'

/** An announcement is sent again when nobody delivered it within this span. */
const UNTOLD_MS = 60_000

const open = () => {
  const config = readConfig()
  const jobs = openJobs(config, openSending(config, false))
  const memory = joinCloudMemory(jobs.entry, jobs.outside, config)
  return { ...jobs, memory, tablePrefix: config.TABLE_PREFIX }
}
type Opened = ReturnType<typeof open>
let opened: Opened | undefined

/** What has become due, in the order in which it is done. */
const stepsOf = ({ tasks, checkDeadLetters, outbox, gateway, deliveries, ...rest }: Opened) => [
  { step: 'settings', work: rest.settings.refresh },
  { step: 'abandoned tasks', work: async () => tell(await tasks.recovery.tick(() => false), rest) },
  { step: 'untold announcements', work: () => outbox.resend(UNTOLD_MS) },
  { step: 'webhook events', work: rest.repairWebhooks },
  { step: 'totals', work: tasks.checkCounters },
  { step: 'totals of dead letters', work: checkDeadLetters },
  { step: 'gateway', work: gateway.repair },
  { step: 'deliveries', work: deliveries.sendDue },
  { step: 'deliveries under way', work: deliveries.settled },
  // It may take all the time that there is.
  { step: 'memory', work: rest.memory.syncIfChanged },
]

/** One task that cannot be helped fails no tick, but does not go unheard. */
const tell = (left: number, { tablePrefix, clock, log }: Pick<Opened, 'tablePrefix' | 'clock' | 'log'>) => {
  if (left > 0) log.error(leftLying(tablePrefix, left, clock.now()), 'tasks were left lying')
}

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
