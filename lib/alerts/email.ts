import { busyError, createContention } from '../core/contention.ts'
import { errorMessage, Problem, refuseEarly } from '../core/errors.ts'
import type { Masker } from '../core/masker.ts'
import { nextVersion } from '../core/versioned-row.ts'
import type { DeliveryRow, Endpoints, Handled } from '../deliveries/schema.ts'
import type { Limit, Limiter } from '../limits/limiter.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Log } from '../ports/log.ts'
import type { Mail, Mailer } from '../ports/mailer.ts'
import type { Store } from '../ports/store.ts'
import type { ReadCause } from './causes.ts'
import { emailAbout, type Told, testEmail } from './email-text.ts'
import { type EmailAlertsRow, emailAlerts } from './rows.ts'
import { type AlertCause, AlertCauseSchema, type AlertTopic, type EmailAlerts } from './schema.ts'

const EMAIL_ID = 'eml'
/** The owner of the deliveries of a user's emails. */
export const emailOwner = (userId: string): string => `${EMAIL_ID}_${userId}`

/** The least time between two messages to a user: what happens meanwhile becomes one message. */
const BETWEEN_MS = 60_000
/** The most that one message tells; it says that the inbox has more. */
const MOST_TOLD = 50
/** A delivery that has not sent the next message by then is not waited for. */
const NEXT_LATE_MS = 600_000
/** No delivery is scheduled to send the next message: its time is past `NEXT_LATE_MS`. */
const NOT_SCHEDULED = { deliveryId: '', at: -NEXT_LATE_MS }

const TESTS: Limit = { name: 'emailTest', calls: 5, windowMs: 60_000 }

export type EmailNeeds = {
  store: Store
  clock: Clock
  entropy: Entropy
  log: Log
  limiter: Limiter
  masker: Pick<Masker, 'logText'>
  /** Absent where no mail server is set. */
  mailer?: Mailer
  /** The address of the page, for links. */
  publicUrl: string | undefined
  /** The address of an account that messages may be sent to. */
  findAddress: (userId: string) => Promise<string | undefined>
}

type Change<Answer> = { set?: Partial<EmailAlertsRow>; answer: Answer }
/** What is sent now, or how long the delivery waits to send it. */
type Turn = { causes: readonly AlertCause[] } | { waitMs: number }

/** Sends messages to users by email. */
export const createEmail = (needs: EmailNeeds & { readCause: ReadCause }) => {
  const {
    store,
    clock,
    log,
    limiter,
    masker,
    mailer,
    publicUrl: baseUrl = '',
    findAddress,
    readCause,
  } = needs
  const contend = createContention(needs, () =>
    busyError('alerts_busy', 'Someone else is changing notifications. Try again'),
  )
  /** A server that does not answer is logged once, until it does. */
  let isFailing = false

  const first = (id: string): EmailAlertsRow => ({
    id,
    version: 0,
    topics: [],
    sentAt: 0,
    waiting: [],
    next: NOT_SCHEDULED,
  })
  const read = async (userId: string) => (await store.get(emailAlerts, userId)) ?? first(userId)

  /** Writes what `prepare` changes of a user's row, if anything; resolves to its answer. */
  const change = async <Answer>(userId: string, prepare: (row: EmailAlertsRow) => Change<Answer>) => {
    const { answer } = await contend(async () => {
      const before = await read(userId)
      const prepared = prepare(before)
      if (prepared.set === undefined) return prepared
      const { applied } = await store.commit(nextVersion(emailAlerts, before, prepared.set).write)
      return applied ? prepared : undefined
    }, userId)
    return answer
  }

  const sent = async (mail: Mail): Promise<Handled> => {
    try {
      const outcome = (await mailer?.send(mail)) ?? 'refused'
      if (isFailing) log.info({}, 'the mail server takes emails again')
      isFailing = false
      return { outcome: outcome === 'sent' ? 'delivered' : 'refused' }
    } catch (thrown) {
      if (!isFailing)
        log.warn(
          { reason: errorMessage(thrown) },
          'emails are not sent: check SMTP_URL and SMTP_FROM, and that the mail server answers; they are tried again',
        )
      isFailing = true
      return { outcome: 'again', error: errorMessage(thrown, 300) }
    }
  }

  /** The causes that still exist: an approval that was decided since is left out. */
  const readCauses = async (causes: readonly AlertCause[]): Promise<Told[]> =>
    (await Promise.all(causes.map(readCause))).flatMap((told) => told ?? [])

  /**
   * The causes that a delivery sends now, or how long it waits with them; undefined where another delivery sends its cause.
   * Of deliveries within a minute after a message the first one waits, and the others leave their causes to it.
   */
  const turnOf = (userId: string, deliveryId: string, cause: AlertCause): Promise<Turn | undefined> => {
    const now = clock.now()
    return change(userId, ({ topics, sentAt, waiting, next }): Change<Turn | undefined> => {
      if (!topics.includes(cause.topic)) return { answer: undefined }
      const isOwn = next.deliveryId === deliveryId
      const waitMs = sentAt + BETWEEN_MS - now
      // A time beyond the wait is of a clock that ran ahead.
      if (waitMs <= 0 || waitMs > BETWEEN_MS)
        return {
          set: { sentAt: now, ...(isOwn && { next: NOT_SCHEDULED }) },
          answer: { causes: [cause, ...waiting] },
        }
      if (!isOwn && now < next.at + NEXT_LATE_MS)
        return { set: { waiting: [...waiting, cause].slice(-MOST_TOLD) }, answer: undefined }
      return { set: { next: { deliveryId, at: now + waitMs } }, answer: { waitMs } }
    })
  }

  const handle = async ({ id, owner, body }: DeliveryRow): Promise<Handled> => {
    const userId = owner.slice(EMAIL_ID.length + 1)
    const address = await findAddress(userId)
    const turn =
      address === undefined ? undefined : await turnOf(userId, id, AlertCauseSchema.parse(JSON.parse(body)))
    if (address === undefined || turn === undefined) return { outcome: 'delivered' }
    if ('waitMs' in turn) return { outcome: 'again', retryAfterMs: turn.waitMs }
    const [head, ...rest] = await readCauses(turn.causes.slice(0, MOST_TOLD))
    const hasMore = turn.causes.length > MOST_TOLD
    const handled: Handled =
      head === undefined
        ? { outcome: 'delivered' }
        : await sent({
            to: address,
            ...emailAbout([head, ...rest], { baseUrl, masked: masker.logText, hasMore }),
          })
    if (handled.outcome === 'again') return handled
    const done = new Set(turn.causes.map((cause) => JSON.stringify(cause)))
    await change(userId, ({ waiting }) => ({
      set: { waiting: waiting.filter((cause) => !done.has(JSON.stringify(cause))) },
      answer: undefined,
    }))
    return handled
  }

  const endpoints: Endpoints = {
    of: async (owner) => (owner.startsWith(`${EMAIL_ID}_`) ? { handle } : undefined),
    isFailing: async () => false,
    onLost: async () => [],
    onSent: async () => undefined,
  }

  const refuseWithout = async (userId: string): Promise<string> => {
    const address = mailer && (await findAddress(userId))
    if (address === undefined)
      throw new Problem(
        'invalid',
        'email_not_available',
        'Email is not available. The service has no mail server, or your account has no usable address',
      )
    return address
  }

  return {
    endpoints,
    /** What a user is told of by email; without storage read where no mail server is set. */
    topics: async (userId: string): Promise<readonly AlertTopic[]> =>
      mailer === undefined ? [] : (await read(userId)).topics,
    /** Undefined where no mail server is set. */
    status: async (userId: string): Promise<EmailAlerts | undefined> => {
      if (mailer === undefined) return undefined
      const [address, { topics }] = await Promise.all([findAddress(userId), read(userId)])
      return { ...(address !== undefined && { address }), topics: [...topics] }
    },
    /** Sets what a user is told of; no topic turns it off. Throws Problem `invalid` `email_not_available`. */
    setTopics: async (userId: string, topics: readonly AlertTopic[]): Promise<EmailAlerts> => {
      const address = await refuseWithout(userId)
      await change(userId, () => ({
        set: { topics: [...new Set(topics)], waiting: [], next: NOT_SCHEDULED },
        answer: undefined,
      }))
      return { address, topics: [...new Set(topics)] }
    },
    /** Sends a message at once. Throws as `setTopics` does, and the errors of the mail server. */
    test: async (userId: string): Promise<{ delivered: boolean }> => {
      const to = await refuseWithout(userId)
      refuseEarly(await limiter.take(TESTS, userId), 'Too many test messages. Please try again in a minute.')
      return { delivered: (await mailer?.send({ to, ...testEmail(baseUrl) })) === 'sent' }
    },
  }
}
