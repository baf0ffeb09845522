import { messageOf } from '../core/errors.ts'
import { retry } from '../core/retry.ts'
import { iso } from '../core/time.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Outbound, OutboundAnswer } from '../ports/outbound.ts'
import type { Store, Update } from '../ports/store.ts'
import { deliveryRows } from './rows.ts'
import {
  type Attempt,
  type DeliveryRow,
  type Endpoint,
  type Endpoints,
  type Handled,
  secretContext,
} from './schema.ts'
import { signatureHeaders } from './signature.ts'

type Needs = {
  store: Store
  outbound: Outbound
  cipher: Cipher
  clock: Clock
  log: Log
  endpoints: Endpoints
  /** The waits before the retries, in milliseconds. */
  delaysMs: () => readonly number[]
}

/** Four times as long as a send may take: a lease that has expired is that of a process that died. */
export const LEASE_MS = 60_000
/** What one send takes at most: to look the host up, to be answered, and to store the attempt. */
export const LONGEST_SEND_MS = 20_000
const KEPT_MS = 30 * 86_400_000
const MOST_SHOWN_BYTES = 4_096
const GONE = 410
/** A receiver that asks for more is asked again after a day. */
const LONGEST_RETRY_AFTER_MS = 86_400_000

/** An attempt, the wait that the receiver asked for, and what came of it where the status does not tell. */
type Sent = { attempt: Attempt; askedMs: number; outcome?: Handled['outcome'] }
type Address = Extract<Endpoint, { url: string }>
/** What tells of a delivery that it is due; `leased` is its row where this process made it with a lease of its own. */
export type Due = Pick<DeliveryRow, 'id' | 'owner' | 'url' | 'dueAt'> & { leased?: DeliveryRow }

/**
 * Sends one delivery that is due. Of several processes that try at once, one claims it: the claim moves `dueAt`, and so
 * does every outcome, so that a late writer finds another time there and changes nothing. A delivery that was stored with a
 * lease is claimed already.
 */
export const createSend = ({ store, outbound, cipher, clock, log, endpoints, delaysMs }: Needs) => {
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

  /** A lease that ends before the send may have (the process stood still) is renewed by a claim, or lost to another. */
  const hold = async (due: Due): Promise<DeliveryRow | undefined> => {
    const endsMs = Date.parse(due.leased?.dueAt ?? '')
    return endsMs - clock.now() >= LONGEST_SEND_MS ? due.leased : claim(due)
  }

  /** Where a row says that it goes. */
  const ownEndpoint = async ({ owner, url, secret }: DeliveryRow): Promise<Address> => ({
    url,
    secrets: secret === undefined ? [] : [await cipher.open(secret, secretContext(owner))],
  })

  const post = async (row: DeliveryRow, endpoint: Address | undefined): Promise<OutboundAnswer> => {
    const { id, body } = row
    const { url, secrets } = endpoint ?? (await ownEndpoint(row))
    return outbound.send({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'agent-task-service',
        ...signatureHeaders({ id, body, secrets, atMs: clock.now() }),
      },
      body,
    })
  }

  const attemptOn = async (row: DeliveryRow, endpoint: Endpoint | undefined): Promise<Sent> => {
    const at = iso(clock.now())
    const began = clock.monotonic()
    const lasted = () => ({ at, durationMs: Math.round(clock.monotonic() - began) })
    try {
      if (endpoint !== undefined && 'handle' in endpoint) {
        const { outcome, retryAfterMs: askedMs = 0, ...attempt } = await endpoint.handle(row)
        return {
          attempt: { ...lasted(), ...attempt },
          askedMs: Math.min(askedMs, LONGEST_RETRY_AFTER_MS),
          outcome,
        }
      }
      const { status: statusCode, headers, body } = await post(row, endpoint)
      const askedMs = retryAfterMs(headers['retry-after'], clock.now())
      return { attempt: { ...lasted(), statusCode, responseBody: shown(body) }, askedMs }
    } catch (thrown) {
      return { attempt: { ...lasted(), error: messageOf(thrown, 500) }, askedMs: 0 }
    }
  }

  /** What an attempt makes of its delivery: over, or due again. */
  const outcomeOf = (row: DeliveryRow, { attempt: { statusCode = 0 }, askedMs, outcome }: Sent) => {
    const over = (status: 'delivered' | 'failed') => ({
      set: { status, expiresAt: clock.now() + KEPT_MS },
      unset: ['dueAt'] as const,
    })
    const told = outcome ?? outcomeFor(statusCode)
    if (told === 'delivered') return over('delivered')
    const waitMs = waitAfter(triesOf(row) + 1, delaysMs(), askedMs)
    if (waitMs === undefined || told === 'refused') return over('failed')
    return { set: { dueAt: iso(clock.now() + waitMs) } }
  }

  const conclude = async (row: DeliveryRow, sent: Sent) => {
    const { set, ...rest } = outcomeOf(row, sent)
    const isLost = 'status' in set && set.status === 'failed'
    const write: Update<DeliveryRow> = {
      update: deliveryRows,
      key: row.id,
      when: { status: 'pending', dueAt: row.dueAt ?? null },
      set: { ...set, tries: triesOf(row) + 1, attempts: [...row.attempts, sent.attempt] },
      ...rest,
    }
    return store.commit(write, isLost ? await endpoints.onLost(row.owner) : [])
  }

  /** Has a delivery wait until its endpoint is active again, which it may have become since it was looked at. */
  const park = async ({ id, owner, dueAt }: Due): Promise<void> => {
    const when = { status: 'pending', dueAt: dueAt ?? null } as const
    await store.commit<DeliveryRow>({ update: deliveryRows, key: id, when, unset: ['dueAt'] })
    if ((await endpoints.of(owner)) === 'paused') return
    const again = { status: 'pending', dueAt: null } as const
    await store.commit<DeliveryRow>({
      ...{ update: deliveryRows, key: id, when: again },
      set: { dueAt: iso(clock.now()) },
    })
  }

  return async (due: Due): Promise<void> => {
    const endpoint = await endpoints.of(due.owner)
    if (endpoint === 'paused') return park(due)
    if (endpoint === 'gone')
      return void (await store.commit<DeliveryRow>({ remove: deliveryRows, key: due.id }))
    const row = await hold(due)
    if (row === undefined) return
    const sent = await attemptOn(row, endpoint)
    const { applied, row: left } = await retry(() => conclude(row, sent), clock)
    if (!applied || left === undefined) return
    if (left.status === 'failed') log.warn(lossOf(row, sent), 'a delivery was given up')
    const isFirst = row.attempts.length === 0
    await endpoints.onSent({
      ...{ owner: row.owner, at: sent.attempt.at, isFirst },
      delivered: left.status === 'delivered',
    })
  }
}

/** What a status says of a signed POST. */
const outcomeFor = (statusCode: number): Handled['outcome'] => {
  if (statusCode >= 200 && statusCode < 300) return 'delivered'
  return statusCode === GONE ? 'refused' : 'again'
}

const triesOf = ({ tries, attempts }: DeliveryRow): number => tries ?? attempts.length

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
