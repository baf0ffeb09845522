import { missing, Problem } from '../core/errors.ts'
import { repeat } from '../core/repeat.ts'
import { watchRights } from '../core/rights-watch.ts'
import { leaseHolds } from '../core/wrong-clock.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { AnyWrite, Store, Update } from '../ports/store.ts'
import { type ConversationRow, conversations } from './rows.ts'

/** The lease of a turn; its process renews it three times as often. */
export const LEASE_MS = 15_000

/** The error of a cancelled turn. It is not retryable, so that no client sends the message again. */
export const turnCancelled = (): Problem => new Problem('invalid', 'cancelled', 'The turn was cancelled')

/** The error of a turn that can no longer be written. */
export const turnLost = (row: object | undefined): Problem =>
  row === undefined
    ? missing('Conversation')
    : new Problem('unavailable', 'turn_lost', 'Another process has taken over the conversation')

export const turnLeaseHolds = (until: number, now: number): boolean => leaseHolds(until, LEASE_MS, now)

/** Whether a turn of the conversation is running, in any process. */
export const isLeased = ({ turnToken, turnUntil = 0 }: ConversationRow, clock: Pick<Clock, 'now'>): boolean =>
  turnToken !== undefined && turnLeaseHolds(turnUntil, clock.now())

/** The fields of a turn that runs or waits. */
export const TURN_FIELDS = ['turnToken', 'turnUntil', 'turnCancelled', 'waitingUntil'] as const

/** A write of the turn with the lease of a conversation; it is refused when the turn has lost the lease. */
export const leasedWrite = (
  id: string,
  token: string,
  { when, ...change }: Pick<Update<ConversationRow>, 'when' | 'set' | 'unset'>,
): Update<ConversationRow> => ({
  update: conversations,
  key: id,
  when: { ...when, turnToken: token },
  ...change,
})

type FreeSlot = () => Promise<void>
/** Takes one of the turns that a user may have open. Throws Problem `rate_limited`. */
export type TakeTurnSlot = (userId: string) => Promise<FreeSlot>

type Lease = {
  conversationId: string
  controller: AbortController
  /** Ends its renewal, and frees the slot of the turn. */
  end: () => void
}

export type TurnLeases = ReturnType<typeof createTurnLeases>

/**
 * Leases of conversations: only the process with the lease adds messages. Each renewal finds out whether the turn has to
 * end: it was cancelled, or the conversation was deleted. A turn works with the rights of its caller, so it also ends when
 * these do.
 */
export const createTurnLeases = ({ store, clock, log }: { store: Store; clock: Clock; log: Log }) => {
  const leases = new Map<string, Lease>()

  const renewed = async (id: string, token: string): Promise<Problem | undefined> => {
    const { applied, row } = await store.commit<ConversationRow>(
      leasedWrite(id, token, { set: { turnUntil: clock.now() + LEASE_MS } }),
    )
    if (applied) return row?.turnCancelled ? turnCancelled() : undefined
    // The deletion of a conversation cancels its turn.
    return row === undefined ? turnCancelled() : turnLost(row)
  }

  const drop = (token: string): void => {
    leases.get(token)?.end()
    leases.delete(token)
  }

  return {
    /** Renews the lease until it is dropped. Aborts when the turn has to end, or its caller's rights do. */
    renew: (
      conversationId: string,
      token: string,
      { holds, free = async () => undefined }: { holds: () => Promise<boolean>; free?: FreeSlot },
    ): AbortSignal => {
      const controller = new AbortController()
      const renewOnce = async () => {
        const reason = await renewed(conversationId, token)
        if (reason === undefined || !leases.has(token)) return
        controller.abort(reason)
        endRenewal()
      }
      const ofTurn: Pick<Log, 'warn'> = {
        warn: (fields, message) => log.warn({ conversationId, ...fields }, message),
      }
      const failure = 'the lease of a turn was not renewed'
      const endRenewal = repeat({ clock, log: ofTurn }, LEASE_MS / 3, renewOnce, failure)
      const watch = watchRights({ clock, log, holds })
      const end = () => {
        endRenewal()
        watch.end()
        void free()
      }
      leases.set(token, { conversationId, controller, end })
      return AbortSignal.any([controller.signal, watch.signal])
    },
    drop,
    until: () => clock.now() + LEASE_MS,
    /** Commits a write of the turn with the lease. Throws the Problem of a turn that has lost it. */
    commit: async (
      id: string,
      token: string,
      change: Pick<Update<ConversationRow>, 'set' | 'unset'>,
      rows: readonly AnyWrite[] = [],
    ): Promise<void> => {
      const { applied, row } = await store.commit<ConversationRow>(leasedWrite(id, token, change), rows)
      if (!applied) throw turnLost(row)
    },
    /** Releases the lease: the next turn may begin at once. */
    release: async (id: string, token: string): Promise<void> => {
      drop(token)
      await store.commit<ConversationRow>(leasedWrite(id, token, { unset: TURN_FIELDS }))
    },
    /** Cancels the turn of a conversation: at once in this process, else at the next renewal of its lease. */
    stop: (conversationId: string): void => {
      for (const lease of leases.values())
        if (lease.conversationId === conversationId) lease.controller.abort(turnCancelled())
    },
    isHere: (conversationId: string): boolean =>
      [...leases.values()].some((lease) => lease.conversationId === conversationId),
  }
}
