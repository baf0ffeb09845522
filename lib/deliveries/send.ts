import { messageOf } from '../core/errors.ts'
import { retry } from '../core/retry.ts'
import { iso } from '../core/time.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Outbound, OutboundAnswer } from '../ports/outbound.ts'
import type { Store } from '../ports/store.ts'
import { type Attempt, type DeliveryRow, deliveryRows } from './rows.ts'
import { secretContext } from './schema.ts'
import { signatureHeaders } from './signature.ts'

type Needs = {
  store: Store
  outbound: Outbound
  cipher: Cipher
  clock: Clock
  log: Log
  /** The waits before the retries, in milliseconds. */
  delaysMs: () => readonly number[]
}

/** Four times as long as a send may take: a lease that has expired is that of a process that died. */
const LEASE_MS = 60_000
const KEPT_MS = 30 * 86_400_000
const MOST_SHOWN_BYTES = 4_096
const GONE = 410
/** A receiver that asks for more is asked again after a day. */
const LONGEST_RETRY_AFTER_MS = 86_400_000

/** An attempt, and the wait that the receiver asked for. */
type Sent = { attempt: Attempt; askedMs: number }

/**
 * Sends one delivery that is due. Of several processes that try at once, one claims it: the claim moves `dueAt`, and so
 * does every outcome, so that a late writer finds another time there and changes nothing.
 */
export const createSend = ({ store, outbound, cipher, clock, log, delaysMs }: Needs) => {
  const claim = async ({ id, dueAt }: Pick<DeliveryRow, 'id' | 'dueAt'>) => {
    const { applied, row } = await store.commit<DeliveryRow>(
      {
        update: deliveryRows,
        key: id,
        when: { status: 'pending', dueAt: dueAt ?? null },
        set: { dueAt: iso(clock.now() + LEASE_MS) },
      },
      [],
      true,
    )
    return applied ? row : undefined
  }

  const post = async ({ id, owner, url, body, secret }: DeliveryRow): Promise<OutboundAnswer> => {
    const opened = secret && (await cipher.open(secret, secretContext(owner)))
    return outbound.send({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'agent-task-service',
        ...signatureHeaders({ id, body, secret: opened, atMs: clock.now() }),
      },
      body,
    })
  }

  const attemptOn = async (row: DeliveryRow): Promise<Sent> => {
    const at = iso(clock.now())
    const began = clock.monotonic()
    const lasted = () => ({ at, durationMs: Math.round(clock.monotonic() - began) })
    try {
      const { status: statusCode, headers, body } = await post(row)
      const askedMs = retryAfterMs(headers['retry-after'], clock.now())
      return { attempt: { ...lasted(), statusCode, responseBody: shown(body) }, askedMs }
    } catch (thrown) {
      return { attempt: { ...lasted(), error: messageOf(thrown, 500) }, askedMs: 0 }
    }
  }

  /** What an attempt makes of its delivery: over, or due again. */
  const outcomeOf = ({ attempts }: DeliveryRow, { attempt: { statusCode = 0 }, askedMs }: Sent) => {
    const over = (status: 'delivered' | 'failed') => ({
      set: { status, expiresAt: clock.now() + KEPT_MS },
      unset: ['dueAt'] as const,
    })
    if (statusCode >= 200 && statusCode < 300) return over('delivered')
    const waitMs = waitAfter(attempts.length + 1, delaysMs(), askedMs)
    if (waitMs === undefined || statusCode === GONE) return over('failed')
    return { set: { dueAt: iso(clock.now() + waitMs) } }
  }

  const conclude = (row: DeliveryRow, sent: Sent) => {
    const { set, ...rest } = outcomeOf(row, sent)
    return store.commit<DeliveryRow>({
      update: deliveryRows,
      key: row.id,
      when: { status: 'pending', dueAt: row.dueAt ?? null },
      set: { ...set, attempts: [...row.attempts, sent.attempt] },
      ...rest,
    })
  }

  return async (due: Pick<DeliveryRow, 'id' | 'dueAt'>): Promise<void> => {
    const row = await claim(due)
    if (row === undefined) return
    const sent = await attemptOn(row)
    const { applied, row: left } = await retry(() => conclude(row, sent), clock)
    if (applied && left?.status === 'failed') log.warn(lossOf(row, sent), 'a delivery was given up')
  }
}

/** The log fields of a delivery that was given up. Of its URL only the host: the rest may hold a secret. */
const lossOf = ({ id, owner, event, url, attempts }: DeliveryRow, { attempt }: Sent) => ({
  ...{ deliveryId: id, owner, event, host: new URL(url).host, attempts: attempts.length + 1 },
  ...(attempt.error === undefined ? { statusCode: attempt.statusCode } : { reason: attempt.error }),
})

const shown = (body: string): string => Buffer.from(body).subarray(0, MOST_SHOWN_BYTES).toString()

/** The wait that a receiver's `Retry-After` asks for: seconds or a date (RFC 9110, section 10.2.3); 0 where it is malformed. */
const retryAfterMs = (header: string | undefined, nowMs: number): number => {
  if (header === undefined) return 0
  const asked = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs
  return Number.isNaN(asked) ? 0 : Math.min(Math.max(asked, 0), LONGEST_RETRY_AFTER_MS)
}

/**
 * How long to wait after so many failed sends: what the schedule says, or longer where the receiver asked for it.
 * Undefined when the schedule is at its end. Nothing shortens a wait.
 */
const waitAfter = (sends: number, delaysMs: readonly number[], askedMs: number): number | undefined => {
  const delayMs = delaysMs[sends - 1]
  return delayMs === undefined ? undefined : Math.max(delayMs, askedMs)
}
