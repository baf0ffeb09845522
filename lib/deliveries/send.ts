import { messageOf } from '../core/errors.ts'
import { persist } from '../core/persist.ts'
import { iso } from '../core/time.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Outbound, OutboundAnswer } from '../ports/outbound.ts'
import type { Store } from '../ports/store.ts'
import { type Attempt, type DeliveryRow, deliveryRows } from './rows.ts'
import { retryAfterMs, waitAfter } from './schedule.ts'
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

/** Four times as long as a send may take: whoever holds a delivery for longer has died over it. */
const LEASE_MS = 60_000
const KEPT_MS = 30 * 86_400_000
const MOST_SHOWN_BYTES = 4_096
const GONE = 410

/** A send as it went, and what the receiver asked for beside it. */
type Sent = { attempt: Attempt; askedMs: number }

/**
 * Sends one delivery that is due. Of several that try at once, one takes it: taking it moves `dueAt`, and so does every
 * outcome, so that what comes late finds another time there and changes nothing.
 */
export const createSend = ({ store, outbound, cipher, clock, log, delaysMs }: Needs) => {
  const take = async ({ id, dueAt }: Pick<DeliveryRow, 'id' | 'dueAt'>) => {
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

  const tried = async (row: DeliveryRow): Promise<Sent> => {
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

  /** What a send makes of its delivery: over, or due again. */
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
    const row = await take(due)
    if (row === undefined) return
    const sent = await tried(row)
    const { applied, row: left } = await persist(() => conclude(row, sent), clock)
    if (applied && left?.status === 'failed') log.warn(lossOf(row, sent), 'a delivery was given up')
  }
}

/** What an operator has to know of a delivery that never arrived. Of its address the host: the rest may be a secret. */
const lossOf = ({ id, owner, event, url, attempts }: DeliveryRow, { attempt }: Sent) => ({
  ...{ deliveryId: id, owner, event, host: new URL(url).host, attempts: attempts.length + 1 },
  ...(attempt.error === undefined ? { statusCode: attempt.statusCode } : { reason: attempt.error }),
})

const shown = (body: string): string => Buffer.from(body).subarray(0, MOST_SHOWN_BYTES).toString()
