/**
 * A message on its way in: who is served first (1 before 4), and how long it must wait before it may be delivered.
 * `group` says whose it is: a queue that many machines share keeps the backlog of one group from delaying the others.
 */
export type Outgoing<Body> = { body: Body; priority: 1 | 2 | 3 | 4; delayMs?: number; group?: string }

/** A message on its way out. `receives` counts deliveries from 1. */
export type Delivery<Body> = { body: Body; receives: number }

/**
 * A queue of identifiers. Delivery is at least once, so a handler must stand a repeat. Among the messages that are
 * due, a lower priority number goes first; within one priority, the order of sending holds.
 */
export interface Queue<Body> {
  /** The longest delay that a message may have, in milliseconds; what is due later must be sent later. */
  readonly longestDelayMs: number
  /** Resolves when the queue has taken every message. Rejects with Problem `unavailable` when it did not. */
  send(messages: readonly Outgoing<Body>[]): Promise<void>
}

/**
 * The receiving side in a long-lived process. A handler that resolves has consumed its message; one that rejects gets
 * it again later. At most `concurrency` handlers run at once.
 */
export interface Consumer<Body> {
  start(handler: (delivery: Delivery<Body>) => Promise<void>): void
  /** Takes no new message, and resolves when the running handlers have ended. */
  drain(): Promise<void>
  readonly running: boolean
  readonly concurrency: number
}
