/**
 * A message to send: its priority (1 before 4), and its delay. `group` names its owner: in a queue that many machines
 * share, the backlog of one group does not delay the other groups. All messages of a `lane` fit the same takers. In a queue
 * of one process the owners take turns within a priority.
 */
export type Outgoing<Body> = {
  body: Body
  priority: 1 | 2 | 3 | 4
  delayMs?: number
  group?: string
  lane?: string
  owner?: string
}

/** A delivered message. `receives` counts deliveries from 1. */
export type Delivery<Body> = { body: Body; receives: number }

/**
 * A message that a receiver has taken out of the queue, and of which it says once what becomes of it. In a queue that many
 * machines share, one of which neither is said comes again.
 */
export type Received<Body> = Delivery<Body> & {
  /** Puts the message back to where it was in the order, as when its receiver has gone away. */
  giveBack(): Promise<void>
  /** Forgets the message: what it asks for is stored, or there is nothing to do. */
  done(): Promise<void>
}

/** Whether a taker may have the messages of a lane, of which it is shown one. It must answer the same for all of them. */
export type Fits<Body> = (body: Body) => boolean

/** Decides which messages of a queue in this process may be taken now, and counts those that were. */
export interface Admission<Body> {
  /** Whether all messages of the lane and owner of this one have to wait. */
  holdsOwner(body: Body): boolean
  /** The name under which this message waits apart from others of its lane and owner; undefined when it may be taken. */
  heldUnder(body: Body): string | undefined
  /** The message was taken. */
  reserve(body: Body): void
  /** The message was handled, or is back in the queue. It may be called more than once. */
  settle(body: Body): void
}

/**
 * A queue of identifiers. Delivery is at least once, so a handler must tolerate repeats. Among due messages a lower
 * priority number goes first; within one priority and owner, the order of sending holds.
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
  /** Without `fits` it takes every message. */
  start(handler: (delivery: Delivery<Body>) => Promise<void>, fits?: Fits<Body>): void
  /** Takes no new message, and resolves when the running handlers have ended. */
  drain(): Promise<void>
  readonly running: boolean
  readonly concurrency: number
}

/** A second way to take messages of a queue in this process, beside its consumer. */
export interface Receiving<Body> {
  /** The consumer takes other messages from now on. Without effect before its `start`. */
  refit(fits: Fits<Body>): void
  /**
   * Takes the most urgent message that fits, now or when there is one: of several takers the one that has waited longest
   * gets a message, in a queue of one process. Resolves to undefined once `signal` has aborted.
   */
  receive(fits: Fits<Body>, signal: AbortSignal): Promise<Received<Body> | undefined>
  /**
   * The positions of the waiting messages asked for, from 1, among those that the same takers get. A message that was taken
   * or is delayed has none. Undefined when too many wait.
   */
  positions(isAsked: (body: Body) => boolean): ReadonlyMap<Body, number> | undefined
}
