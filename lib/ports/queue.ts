/**
 * A message to send: its priority (1 before 4), and its delay. `group` names its owner: in a queue that many machines
 * share, the backlog of one group does not delay the other groups.
 */
export type Outgoing<Body> = { body: Body; priority: 1 | 2 | 3 | 4; delayMs?: number; group?: string }

/** A delivered message. `receives` counts deliveries from 1. */
export type Delivery<Body> = { body: Body; receives: number }

/**
 * A queue of identifiers. Delivery is at least once, so a handler must tolerate repeats. Among due messages a lower
 * priority number goes first; within one priority, the order of sending holds.
 */
export interface Queue<Body> {
  /** The longest delay of a message in milliseconds; the sender must send later what is due later. */
  readonly longestDelayMs: number
  /** Resolves when the queue has accepted every message. Rejects with Problem `unavailable` otherwise. */
  send(messages: readonly Outgoing<Body>[]): Promise<void>
}

/**
 * The receiver in a long-lived process. A handler that resolves has consumed its message; a message whose handler rejects
 * is delivered again later. At most `concurrency` handlers run at once.
 */
export interface Consumer<Body> {
  start(handler: (delivery: Delivery<Body>) => Promise<void>): void
  /** Takes no new message, and resolves when the running handlers have ended. */
  drain(): Promise<void>
  readonly running: boolean
  readonly concurrency: number
}
