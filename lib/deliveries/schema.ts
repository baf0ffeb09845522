import type { AnyWrite } from '../ports/store.ts'
import type { RunningTrace } from '../ports/tracing.ts'

/** The context that an owner's signing secrets are sealed with: they cannot be opened for another owner. */
export const secretContext = (owner: string): string => `deliveries/${owner}`

/** An event to deliver; `body` is its envelope as JSON, with the id of the delivery. */
export type NewDelivery = {
  id: string
  /** The id of the object that it is sent for, such as a gateway request. */
  owner: string
  event: string
  url: string
  body: string
  /** The signing secret, sealed with `secretContext` of the owner. */
  secret?: string
  /** The task that the event is about, for lists of deliveries. */
  about?: { taskId: string; title: string }
  /** Not retried: a failure ends it, and does not count as a loss. */
  once?: true
}

/** One attempt: the receiver's answer, or the reason why there was none. */
export type Attempt = {
  at: string
  statusCode?: number
  /** At most 4 kB. */
  responseBody?: string
  error?: string
  /** Of a POST, with masked signatures. */
  requestHeaders?: Readonly<Record<string, string>>
  durationMs: number
}

/**
 * An event on its way to a URL. `id` and `body`, the envelope with that id, are the same in every send. `dueAt` is
 * the time of the next claim while it is pending: the next attempt, or the end of the lease of the process that sends
 * it now. For a delivery that is held for a paused endpoint it is the time when it is given up, and `stopped` is set.
 */
export type DeliveryRow = NewDelivery & {
  status: 'pending' | 'delivered' | 'failed'
  dueAt?: string
  /** The sends since it was made or made due again. */
  tries: number
  /** The first attempt and the latest ones. */
  attempts: readonly Attempt[]
  attemptsOmitted?: number
  /** The reason and time of the hold or the failure: see `stoppedAs`. */
  stopped?: string
  /** The trace of the work that caused the event. */
  trace?: RunningTrace
  createdAt: string
  /** Epoch milliseconds; absent while it is pending. */
  expiresAt?: number
}

/** Stores a delivery and starts its first attempt. A repeat stores nothing; it starts the attempt if no process has. */
export type AddDelivery = (delivery: NewDelivery) => Promise<void>

/** The result of a send that was no signed POST. It ends the delivery, unless `again` continues the retry schedule. */
export type Handled = Pick<Attempt, 'statusCode' | 'error'> & {
  outcome: 'delivered' | 'refused' | 'again'
  retryAfterMs?: number
}

/** The current URL and signing secrets, newest first; or a function that sends in less than LONGEST_SEND_MS. */
export type Endpoint =
  | { url: string; secrets: readonly string[]; isPaused?: boolean }
  | { handle(delivery: DeliveryRow): Promise<Handled> }

/** Owners whose endpoint may change or pause; deliveries of all others go to the URL in their row. */
export type Endpoints = {
  /**
   * Undefined for an owner of another kind; `gone` for an endpoint that does not exist any more. With `evenPaused` a paused
   * one has its address, for a send that a person asked for.
   */
  of(owner: string, evenPaused?: boolean): Promise<Endpoint | 'paused' | 'gone' | undefined>
  /** Whether the latest send to it failed, as far as its owner records that. */
  isFailing(owner: string): Promise<boolean>
  /** The writes that belong to the loss of a delivery: no retry is left, or the receiver is gone (410). */
  onLost(owner: string): Promise<readonly AnyWrite[]>
  /** Called for each send, after the attempt was stored. */
  onSent(sent: { owner: string; at: string; isFirst: boolean; delivered: boolean }): Promise<void>
}
