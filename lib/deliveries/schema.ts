import type { AnyWrite } from '../ports/store.ts'
import type { RunningTrace } from '../ports/tracing.ts'

/** What the signing secrets of an owner are sealed as: beside the deliveries of another they open nothing. */
export const secretContext = (owner: string): string => `deliveries/${owner}`

/** An event to be delivered; `body` is its envelope as JSON, whose `id` is the delivery's. */
export type NewDelivery = {
  id: string
  /** What it is sent for, such as a gateway request. */
  owner: string
  event: string
  url: string
  body: string
  /** The signing secret, sealed as `secretContext` of the owner. */
  secret?: string
  /** Not retried by itself: a failure is its end, of which nothing is lost. */
  once?: true
}

/** One attempt: the receiver's answer, or the reason why there was none. */
export type Attempt = {
  at: string
  statusCode?: number
  /** At most 4 kB. */
  responseBody?: string
  error?: string
  durationMs: number
}

/**
 * An event on its way to a URL. `id` is the envelope's own and `body` the bytes of it, both the same on every send.
 * While it is pending, `dueAt` is when it may be claimed: the time of the next attempt, or the end of the lease of the
 * process that sends it now. One that is held until its endpoint is active again has as `dueAt` when it is given up, and
 * `stopped`, as one that failed has.
 */
export type DeliveryRow = NewDelivery & {
  status: 'pending' | 'delivered' | 'failed'
  dueAt?: string
  /** Sends since it was made, or made due again; what an earlier version stored has none and counts its attempts. */
  tries?: number
  /** The first one and the last ones. */
  attempts: readonly Attempt[]
  /** How many there were between them. */
  attemptsOmitted?: number
  /** Why and when it was held, or failed: see `stoppedAs`. */
  stopped?: string
  /** What its event came from. */
  trace?: RunningTrace
  createdAt: string
  /** Epoch milliseconds; absent while it is pending. */
  expiresAt?: number
}

/** Stores a delivery and starts its first attempt. A repeat stores nothing, and starts the attempt if nothing else has. */
export type AddDelivery = (delivery: NewDelivery) => Promise<void>

/** What came of a send that was no signed POST: it is over either way unless the retry schedule goes on, `again`. */
export type Handled = Pick<Attempt, 'statusCode' | 'error'> & {
  outcome: 'delivered' | 'refused' | 'again'
  retryAfterMs?: number
}

/**
 * Where the deliveries of an owner go now, and the secrets they are signed with, the newest first; or how they are sent
 * instead, at least once, in less than LONGEST_SEND_MS.
 */
export type Endpoint =
  | { url: string; secrets: readonly string[] }
  | { handle(delivery: DeliveryRow): Promise<Handled> }

/**
 * Owners whose deliveries go to an endpoint that may change or be paused while they wait. Deliveries of all others go where
 * their own row says.
 */
export type Endpoints = {
  /** Undefined where the owner is no such one; `gone` when there is none any more. */
  of(owner: string): Promise<Endpoint | 'paused' | 'gone' | undefined>
  /** Whether the last send to it failed, as far as its owner keeps that. */
  isFailing(owner: string): Promise<boolean>
  /** The writes that come with the loss of a delivery, which no retry is left for or whose receiver is gone (410). */
  onLost(owner: string): Promise<readonly AnyWrite[]>
  /** Called for each send, after it was stored. */
  onSent(sent: { owner: string; at: string; isFirst: boolean; delivered: boolean }): Promise<void>
}
