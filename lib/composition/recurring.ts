import { LONGEST_SEND_MS } from '../deliveries/send.ts'
import { LONGEST_SYNC_MS } from '../memory/budget.ts'
import type { Domains } from './domains.ts'
import type { AuthPorts } from './ports.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
/** The time limit of one step for webhooks; a page of writes may come on top. */
const WEBHOOKS_MS = 5_000
/** A thousand rows: half a second for each 20 concurrent writes. */
const LONGEST_REMOVAL_MS = 15_000

export type RecurringWork = {
  name: string
  /** The pause between two calls in one process; a tick of functions calls all. */
  everyMs: number
  /** The longest time of a call: with less time left, a tick leaves it to the next one. */
  needsMs?: number
  /** A function passes the time that it has left: nothing goes on after its tick. */
  work: (leftMs?: () => number) => unknown
}

/**
 * The work by the clock of every mode, in the order of a tick: long steps come last. `onStuck` learns how many tasks could
 * not be recovered.
 */
export const recurringWork = (
  { tasks, outboundWebhooks: webhooks, deliveries, ...domains }: Domains,
  { processes }: Pick<AuthPorts, 'processes'>,
  onStuck: (left: number) => void = () => undefined,
): RecurringWork[] => [
  { name: 'schedules', everyMs: SECOND_MS, work: domains.schedules.runAllDue },
  {
    name: 'abandoned tasks',
    everyMs: SECOND_MS,
    work: async () => onStuck(await tasks.recovery.tick(domains.active.has)),
  },
  { name: 'held tasks', everyMs: SECOND_MS, work: async () => onStuck(await domains.releaseHeld()) },
  { name: 'tasks without a runner', everyMs: MINUTE_MS, work: tasks.tellOfMissingRunners },
  { name: 'runners that are gone', everyMs: MINUTE_MS, work: domains.runners.registry.forgetOld },
  // One process recovers these at its start.
  ...(processes === 'one'
    ? []
    : [
        { name: 'places of tasks', everyMs: MINUTE_MS, work: domains.sharedPlaces.repair },
        { name: 'abandoned sessions', everyMs: MINUTE_MS, work: () => domains.agentSessions.recover() },
        {
          name: 'unclaimed tasks',
          everyMs: MINUTE_MS,
          work: async () => onStuck(await tasks.recovery.resend()),
        },
      ]),
  { name: 'bulk jobs', everyMs: MINUTE_MS, work: domains.bulk.resend },
  { name: 'bulk results', everyMs: SECOND_MS, work: domains.bulk.followAll },
  {
    name: 'deleted conversations',
    everyMs: SECOND_MS,
    needsMs: LONGEST_REMOVAL_MS,
    work: domains.conversationRemoval.removeDeleted,
  },
  {
    name: 'webhooks',
    everyMs: SECOND_MS,
    needsMs: WEBHOOKS_MS,
    work: () => webhooks.resumeDue(WEBHOOKS_MS),
  },
  {
    name: 'deleted webhooks',
    everyMs: SECOND_MS,
    needsMs: WEBHOOKS_MS,
    work: () => webhooks.removeDeleted(WEBHOOKS_MS),
  },
  { name: 'approvals', everyMs: SECOND_MS, work: domains.approvals.settleDue },
  { name: 'left approvals', everyMs: MINUTE_MS, work: domains.withdrawLeftApprovals },
  // For changes that were not reported, or the embedding provider refused.
  {
    name: 'memory',
    everyMs: MINUTE_MS,
    needsMs: LONGEST_SYNC_MS + LONGEST_SEND_MS,
    work: domains.memory.syncIfChanged,
  },
  {
    name: 'deliveries',
    everyMs: SECOND_MS,
    needsMs: LONGEST_SEND_MS,
    work: async (leftMs) => {
      await deliveries.sendDue()
      if (leftMs) await deliveries.settled(leftMs() - LONGEST_SEND_MS)
    },
  },
]
