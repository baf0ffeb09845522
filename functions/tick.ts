import type { InvocationContext } from '../lib/adapters/aws/sqs/sqs-batch.ts'
import { type Cloud, openCloud } from '../lib/app/cloud.ts'
import { openedOnce } from '../lib/app/cloud-function.ts'
import { stuckTasks } from '../lib/app/cloud-jobs.ts'
import { errorMessage } from '../lib/core/errors.ts'
import { LONGEST_SEND_MS } from '../lib/deliveries/send.ts'
import { LONGEST_SYNC_MS } from '../lib/memory/budget.ts'

const opened = openedOnce((config) => openCloud(config))
/** A thousand rows: half a second for each 20 concurrent writes. */
const LONGEST_REMOVAL_MS = 15_000
/** The time limit of one step for webhooks; a page of writes may come on top. */
const WEBHOOKS_MS = 5_000

/** `needsMs` is the longest time of a step: with less time left, it waits for the next tick. */
type Step = { step: string; needsMs?: number; work: () => unknown }

/** The steps of a tick in their order. Long steps come last, and have a time limit. */
const tickSteps = ({ tasks, deliveries, ...rest }: Cloud, leftMs: () => number): Step[] => [
  { step: 'settings', work: rest.settings.refresh },
  { step: 'schedules', work: rest.schedules.runAllDue },
  { step: 'abandoned tasks', work: async () => report(await tasks.recovery.tick(() => false), rest) },
  { step: 'abandoned sessions', work: () => rest.agentSessions.recover() },
  { step: 'unclaimed tasks', work: async () => report(await tasks.recovery.resend(), rest) },
  { step: 'bulk jobs', work: rest.bulk.resend },
  { step: 'bulk results', work: rest.bulk.followAll },
  {
    step: 'deleted conversations',
    needsMs: LONGEST_REMOVAL_MS,
    work: rest.conversationRemoval.removeDeleted,
  },
  { step: 'webhooks', needsMs: WEBHOOKS_MS, work: () => rest.outboundWebhooks.resumeDue(WEBHOOKS_MS) },
  {
    step: 'deleted webhooks',
    needsMs: WEBHOOKS_MS,
    work: () => rest.outboundWebhooks.removeDeleted(WEBHOOKS_MS),
  },
  { step: 'approvals', work: rest.approvals.settleDue },
  { step: 'left approvals', work: rest.withdrawLeftApprovals },
  { step: 'memory', needsMs: LONGEST_SYNC_MS + LONGEST_SEND_MS, work: rest.memory.syncIfChanged },
  {
    step: 'deliveries',
    needsMs: LONGEST_SEND_MS,
    work: async () => {
      await deliveries.sendDue()
      await deliveries.settled(leftMs() - LONGEST_SEND_MS)
    },
  },
]

/** A task that the tick could not recover does not fail the tick; it raises an alarm. */
const report = (left: number, { clock, log, config }: Pick<Cloud, 'clock' | 'log' | 'config'>) => {
  if (left > 0) log.error(stuckTasks(config.TABLE_PREFIX, left, clock.now()), 'tasks are stuck')
}

/**
 * Does due work. A failed step does not stop the others; the invocation fails after the last one. A step without enough
 * time is logged and left to the next tick.
 */
export const handler = async (_event: unknown, context: InvocationContext): Promise<void> => {
  const cloud = await opened()
  const { log } = cloud
  const leftMs = context.getRemainingTimeInMillis
  const failed: string[] = []
  for (const { step, needsMs = 0, work } of tickSteps(cloud, leftMs)) {
    if (leftMs() < needsMs) {
      log.warn({ step, leftMs: leftMs() }, 'a step of the tick is left to the next one')
      continue
    }
    try {
      await work()
    } catch (thrown) {
      log.error({ step, reason: errorMessage(thrown) }, 'a step of the tick failed')
      failed.push(step)
    }
  }
  if (failed.length > 0) throw new Error(`The tick failed: ${failed.join(', ')}`)
}
