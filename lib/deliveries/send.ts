import { cutTextToBytes } from '../core/cut-text.ts'
import { errorMessage } from '../core/errors.ts'
import { retry } from '../core/retry.ts'
import { LONGEST_RETRY_AFTER_MS, retryAfterMs } from '../core/retry-after.ts'
import { iso } from '../core/time.ts'
import { lostFields, lostText } from '../core/truncated.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { Store, Update } from '../ports/store.ts'
import type { Tracing } from '../ports/tracing.ts'
import { deliveryRows, FAILED, HELD, stoppedAs } from './rows.ts'
import {
  type Attempt,
  type DeliveryRow,
  type Endpoint,
  type Endpoints,
  type Handled,
  secretContext,
} from './schema.ts'
import { signatureHeaders, withMaskedSignatures } from './signature.ts'

type Needs = {
  store: Store
  outbound: Outbound
  cipher: Cipher
  clock: Clock
  log: Log
  tracing: Pick<Tracing, 'within' | 'current'>
  endpoints: Endpoints
  delaysMs: () => readonly number[]
}

/** More than a send may take, so the process of an expired lease is dead. */
export const LEASE_MS = 60_000
/** The longest time of one send: the lookup of the host, the answer, and the write of the attempt. */
export const LONGEST_SEND_MS = 20_000
const KEPT_MS = 30 * 86_400_000
const MOST_RESPONSE_BYTES = 4_096
const GONE = 410
/** How long a delivery is held for an endpoint that is paused. */
export const HELD_MS = 30 * 86_400_000
/** The most attempts that are kept besides the first one. */
const LAST_ATTEMPTS = 20

/** An attempt, the wait that the receiver asked for, and the outcome if it does not follow from the status. */
type Sent = {
  attempt: Attempt
  askedMs: number
  outcome?: Handled['outcome'] | 'data_lost'
  /** Its endpoint was paused: what is to be sent again waits until it is resumed. */
  isPaused?: boolean
}
type Address = Extract<Endpoint, { url: string }>
/** A due delivery; `leased` is its row if this process inserted it with a lease. */
export type Due = Pick<DeliveryRow, 'id' | 'owner' | 'url' | 'dueAt'> & {
  stopped?: string | undefined
  leased?: DeliveryRow
  /** A person asked for this send. */
  evenPaused?: boolean
}

/**
 * Sends one due delivery. Of several processes one claims it: the claim moves `dueAt`, and so does every outcome, so
 * that a late writer finds another time and changes nothing. A delivery that was inserted with a lease is claimed
 * already.
 */
export const createSend = ({ store, outbound, cipher, clock, log, tracing, endpoints, delaysMs }: Needs) => {
  const claim = async ({ id, dueAt }: Pick<DeliveryRow, 'id' | 'dueAt'>) => {
    const set = { dueAt: iso(clock.now() + LEASE_MS) }
    const claimed = { ...pending(id, dueAt), set, unset: ['stopped'] } as const
    const { applied, row } = await store.commit<DeliveryRow>(claimed, [], true)
    return applied ? row : undefined
  }

  /** A lease that would end during the send, since the process stood still, is claimed again. */
  const leased = async (due: Due): Promise<DeliveryRow | undefined> => {
    const endsMs = Date.parse(due.leased?.dueAt ?? '')
    return endsMs - clock.now() >= LONGEST_SEND_MS ? due.leased : claim(due)
  }

  const ownEndpoint = async ({ owner, url, secret }: DeliveryRow): Promise<Address> => ({
    url,
    secrets: secret === undefined ? [] : [await cipher.open(secret, secretContext(owner))],
  })

  const requestHeaders = ({ id, body }: DeliveryRow, { secrets }: Address) => ({
    'content-type': 'application/json',
    'user-agent': 'agent-task-service',
    ...signatureHeaders({ id, body, secrets, atMs: clock.now() }),
  })

  const sendOnce = async (row: DeliveryRow, endpoint: Endpoint | undefined): Promise<Sent> => {
    const at = iso(clock.now())
    const began = clock.monotonic()
    const lasted = () => ({ at, durationMs: Math.round(clock.monotonic() - began) })
    // An empty or unsigned event would say something else than what has happened.
    const lost = lostFields(row, ['body', 'secret'])
    if (lost.length > 0) {
      const error = `Cannot be sent: ${lostText(lost)}`
      return { attempt: { ...lasted(), error }, askedMs: 0, outcome: 'data_lost' }
    }
    let sent: Pick<Attempt, 'requestHeaders'> = {}
    try {
      if (endpoint !== undefined && 'handle' in endpoint) {
        const { outcome, retryAfterMs: askedMs = 0, ...attempt } = await endpoint.handle(row)
        return { attempt: { ...lasted(), ...attempt }, askedMs, outcome }
      }
      const address = endpoint ?? (await ownEndpoint(row))
      const given = requestHeaders(row, address)
      sent = { requestHeaders: withMaskedSignatures(given) }
      const request = { method: 'POST', url: address.url, headers: given, body: row.body } as const
      const { status: statusCode, headers, body } = await outbound.send(request)
      const askedMs = retryAfterMs(headers['retry-after'], clock.now()) ?? 0
      const answer = { statusCode, responseBody: cutTextToBytes(body, MOST_RESPONSE_BYTES) }
      const error = statusCode >= 300 && statusCode < 400 ? { error: REDIRECTED } : {}
      return { attempt: { ...lasted(), ...answer, ...error, ...sent }, askedMs }
    } catch (thrown) {
      return { attempt: { ...lasted(), error: errorMessage(thrown, 500), ...sent }, askedMs: 0 }
    }
  }

  const ended = (status: 'delivered' | 'failed') => {
    const now = clock.now()
    return { set: { status, expiresAt: now + KEPT_MS }, unset: ['dueAt'] as const }
  }

  const lost = () => {
    const { set, unset } = ended('failed')
    return { set: { ...set, stopped: stoppedAs(FAILED, iso(clock.now())) }, unset, isLost: true }
  }

  const held = () => {
    const now = clock.now()
    return { dueAt: iso(now + HELD_MS), stopped: stoppedAs(HELD, iso(now)) }
  }

  const changeAfter = (
    row: DeliveryRow,
    { attempt: { statusCode = 0 }, askedMs, outcome, isPaused }: Sent,
  ) => {
    const result = outcome ?? outcomeFor(statusCode)
    if (result === 'delivered') return { ...ended('delivered'), isLost: false }
    if (result === 'refused') return lost()
    // What is lost here says nothing about the receiver.
    if (row.once || result === 'data_lost') return { ...ended('failed'), isLost: false }
    if (isPaused) return { set: held(), isLost: false }
    const waitMs = waitAfter(row.tries + 1, delaysMs(), askedMs)
    return waitMs === undefined ? lost() : { set: { dueAt: iso(clock.now() + waitMs) }, isLost: false }
  }

  const conclude = async (row: DeliveryRow, sent: Sent) => {
    const { set, isLost, ...rest } = changeAfter(row, sent)
    const after = { ...set, tries: row.tries + 1, ...attemptsWith(row, sent.attempt) }
    const write: Update<DeliveryRow> = { ...pending(row.id, row.dueAt), set: after, ...rest }
    return store.commit(write, isLost ? await endpoints.onLost(row.owner) : [])
  }

  /** Ends a delivery that was held for the longest time; its attempts have the reason. */
  const giveUp = async ({ id, dueAt }: Due): Promise<void> => {
    const row = await store.get(deliveryRows, id, true)
    if (row === undefined) return
    const attempt = { at: iso(clock.now()), error: HELD_TOO_LONG, durationMs: 0 }
    const { set, unset } = lost()
    const write = { ...pending(id, dueAt), set: { ...set, ...attemptsWith(row, attempt) }, unset }
    const { applied } = await store.commit<DeliveryRow>(write)
    if (applied) log.warn(lossFields(row, { attempt, askedMs: 0 }), 'a delivery was given up')
  }

  /** Marks a delivery without an endpoint as expired, so that it counts as absent. */
  const forget = async ({ id }: Due): Promise<void> => {
    const { set, unset } = ended('failed')
    await store.commit<DeliveryRow>({
      update: deliveryRows,
      key: id,
      when: { status: 'pending' },
      set: { ...set, expiresAt: clock.now() },
      unset,
    })
  }

  /** Holds a delivery until its endpoint is active again, unless that has happened since it was read. */
  const hold = async (due: Due): Promise<void> => {
    if (due.stopped !== undefined) return giveUp(due)
    const { id, owner, dueAt } = due
    const set = held()
    const until = set.dueAt
    await store.commit<DeliveryRow>({ ...pending(id, dueAt), set })
    if ((await endpoints.of(owner)) === 'paused') return
    const dueNow = { ...pending(id, until), set: { dueAt: iso(clock.now()) }, unset: ['stopped'] } as const
    await store.commit<DeliveryRow>(dueNow)
  }

  return async (due: Due): Promise<void> => {
    const endpoint = await endpoints.of(due.owner, due.evenPaused)
    if (endpoint === 'paused') return hold(due)
    if (endpoint === 'gone') return forget(due)
    const row = await leased(due)
    if (row === undefined) return
    const isPaused = endpoint !== undefined && 'isPaused' in endpoint && endpoint.isPaused === true
    const sent = { ...(await tracing.within(row.trace ?? {}, () => sendOnce(row, endpoint))), isPaused }
    const { applied, row: left } = await retry(() => conclude(row, sent), clock)
    if (!applied || left === undefined) return
    if (left.status === 'failed') log.warn(lossFields(row, sent), 'a delivery was given up')
    const isFirst = row.attempts.length === 0
    const delivered = left.status === 'delivered'
    await endpoints.onSent({ owner: row.owner, at: sent.attempt.at, isFirst, delivered })
  }
}

/** A change of a delivery that is still pending and due at that time. */
const pending = (id: string, dueAt: string | undefined) =>
  ({ update: deliveryRows, key: id, when: { status: 'pending', dueAt: dueAt ?? null } }) as const

const REDIRECTED = 'Redirects are not followed. Use the URL it redirects to'
const HELD_TOO_LONG = 'The webhook was paused for 30 days after the delivery was due'

/** The attempts with a new one. Their number is not bounded: users may send a delivery again. */
const attemptsWith = ({ attempts, attemptsOmitted = 0 }: DeliveryRow, attempt: Attempt) => {
  const all = [...attempts, attempt]
  const left = all.length - 1 - LAST_ATTEMPTS
  if (left <= 0) return { attempts: all }
  return { attempts: all.toSpliced(1, left), attemptsOmitted: attemptsOmitted + left }
}

const outcomeFor = (statusCode: number): Handled['outcome'] => {
  if (statusCode >= 200 && statusCode < 300) return 'delivered'
  return statusCode === GONE ? 'refused' : 'again'
}

/** The log fields of a lost delivery. Of its URL only the host: the rest may hold a secret. */
const lossFields = ({ attempts, attemptsOmitted = 0, ...row }: DeliveryRow, { attempt }: Sent) => ({
  deliveryId: row.id,
  owner: row.owner,
  event: row.event,
  host: new URL(row.url).host,
  attempts: attempts.length + attemptsOmitted + 1,
  ...(attempt.error === undefined ? { statusCode: attempt.statusCode } : { reason: attempt.error }),
})

/** The wait of the schedule, or a longer one that the receiver asked for; undefined at the end of the schedule. */
const waitAfter = (sends: number, delaysMs: readonly number[], askedMs: number): number | undefined => {
  const delayMs = delaysMs[sends - 1]
  return delayMs === undefined ? undefined : Math.max(delayMs, Math.min(askedMs, LONGEST_RETRY_AFTER_MS))
}
