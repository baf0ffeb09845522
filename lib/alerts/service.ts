import { hash } from 'node:crypto'
import { busyError } from '../core/contention.ts'
import { definedFields } from '../core/defined-fields.ts'
import { asFieldIssue, missing, Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import { ulidIn } from '../core/ulid.ts'
import { createVersionedRow } from '../core/versioned-row.ts'
import type { AddDelivery } from '../deliveries/schema.ts'
import type { Announcement } from '../notifications/schema.ts'
import { createReadCause, type FindCauses } from './causes.ts'
import type { Subscribe } from './contract.ts'
import { createEmail, type EmailNeeds, emailOwner } from './email.ts'
import { createPush, PUSH_ID, type PushAddress, type PushNeeds, subscriptionContext } from './push.ts'
import {
  type PushSubscriptionRow,
  pushSubscriptions,
  READERS,
  type ResultReaders,
  resultReaders,
} from './rows.ts'
import type { AlertCause, AlertTopic, EmailAlerts, PushSubscription } from './schema.ts'

type Needs = PushNeeds &
  EmailNeeds &
  FindCauses & {
    processes: 'one' | 'many'
    addDelivery: AddDelivery
  }

const MOST_SUBSCRIPTIONS = 20
/** How old the readers that a process knows may be where other processes change them. */
const STALE_AFTER_MS = 60_000
/** Of deliveries by email, whose address is read when they are sent. */
const EMAIL_URL = 'mailto:user'

const TEST = {
  title: 'Test notification',
  body: 'Notifications work in this browser.',
  url: '/inbox',
  tag: 'test',
}

export type Alerts = ReturnType<typeof createAlerts>

/** Messages to users outside of the page: to the browsers that they have subscribed, and by email. */
export const createAlerts = (needs: Needs) => {
  const { store, clock, cipher, outbound, processes, addDelivery, findTask } = needs
  const readCause = createReadCause(needs)
  const push = createPush({ ...needs, readCause })
  const email = createEmail({ ...needs, readCause })
  const readers = createVersionedRow<ResultReaders>(needs, {
    of: resultReaders,
    first: { id: READERS, version: 0, userIds: [] },
    staleAfterMs: processes === 'many' ? STALE_AFTER_MS : Number.POSITIVE_INFINITY,
    busy: () => busyError('alerts_busy', 'Someone else is changing notifications. Try again'),
  })

  const rowsOf = async (userId: string): Promise<readonly PushSubscriptionRow[]> => {
    const query = { index: 'ofUser', is: userId, order: 'asc', limit: MOST_SUBSCRIPTIONS + 1 } as const
    return (await store.page(pushSubscriptions, query)).rows
  }

  const setReader = (userId: string, reads: boolean) =>
    readers.change(({ userIds }) => {
      if (userIds.includes(userId) === reads) return undefined
      const others = userIds.filter((one) => one !== userId)
      return { set: { userIds: reads ? [...others, userId] : others } }
    })

  const updateReader = async (userId: string) => {
    const [rows, byEmail] = await Promise.all([rowsOf(userId), email.topics(userId)])
    const topics = [...rows.flatMap((row) => row.topics), ...byEmail]
    await setReader(userId, topics.includes('results'))
  }

  const own = async ({ userId }: Principal, id: string): Promise<PushSubscriptionRow> => {
    const row = await store.get(pushSubscriptions, id)
    if (row?.userId !== userId) throw missing('Push subscription')
    return row
  }

  /** Adds a delivery for each browser of a user that gets the topic, and for the email. A repeat adds none. */
  const tell = async (userId: string, cause: AlertCause, id: string): Promise<void> => {
    const add = (owner: string, url: string) =>
      addDelivery({ id: `${id}_${owner}`, owner, event: cause.topic, url, body: JSON.stringify(cause) })
    const rows = (await rowsOf(userId)).filter(({ topics }) => topics.includes(cause.topic))
    for (const row of rows) await add(row.id, row.service)
    if ((await email.topics(userId)).includes(cause.topic)) await add(emailOwner(userId), EMAIL_URL)
  }

  return {
    endpoints: [push.endpoints, email.endpoints],

    list: async ({ userId }: Principal) => {
      const rows = await rowsOf(userId)
      const areLive = await Promise.all(rows.map(push.isLive))
      return {
        publicKey: (await push.keys()).publicKey.toString('base64url'),
        subscriptions: rows.filter((_row, at) => areLive[at]).map(toSubscription),
        ...definedFields({ email: await email.status(userId) }),
      }
    },

    /** Sets what the user is told of by email. Throws Problem `invalid` `email_not_available`. */
    setEmail: async ({ userId }: Principal, topics: readonly AlertTopic[]): Promise<EmailAlerts> => {
      if (topics.includes('results')) await setReader(userId, true)
      const status = await email.setTopics(userId, topics)
      await updateReader(userId)
      return status
    },

    /** Sends an email at once. Throws Problem `unavailable` `email_failed` when the mail server does not take it. */
    testEmail: ({ userId }: Principal) => email.test(userId),

    /** Throws Problem `invalid` for an address that the service may not reach, and beyond the limit of a user. */
    subscribe: async ({ userId, sessionId }: Principal, subscribed: Subscribe): Promise<PushSubscription> => {
      const { endpoint, keys, device, topics } = subscribed
      await outbound.check(endpoint).catch((thrown) => {
        throw asFieldIssue('endpoint', thrown)
      })
      const id = `${PUSH_ID}_${hash('sha256', endpoint, 'base64url').replaceAll(/[-_]/g, '')}`
      const others = (await rowsOf(userId)).filter((row) => row.id !== id)
      if (others.length >= MOST_SUBSCRIPTIONS) throw tooMany()
      const address: PushAddress = { endpoint, keys }
      const row: PushSubscriptionRow = {
        ...{ id, userId, device, topics, createdAt: iso(clock.now()), service: new URL(endpoint).origin },
        ...definedFields({ sessionId }),
        sealed: await cipher.seal(JSON.stringify(address), subscriptionContext(id)),
      }
      // A browser that another user has signed in with is that user's from now on.
      if (topics.includes('results')) await setReader(userId, true)
      await push.remove(row)
      await store.commit<PushSubscriptionRow>({ insert: pushSubscriptions, row })
      return toSubscription(row)
    },

    unsubscribe: async (principal: Principal, id: string): Promise<void> => {
      await push.remove(await own(principal, id))
      await updateReader(principal.userId)
    },

    /** Sends a message at once. Throws Problem `unavailable` when there is no answer. */
    test: async (principal: Principal, id: string) => {
      const { statusCode = 0 } = await push.send(await own(principal, id), TEST)
      return { delivered: statusCode >= 200 && statusCode < 300, statusCode }
    },

    /** Reads who is told of results, where that may have changed. */
    refreshReaders: async (): Promise<void> => void (await readers.refresh()),
    /** Whether a user is told of the ends of tasks, as this process last read it. */
    readsResults: (userId: string): boolean => readers.row().userIds.includes(userId),

    /** Tells the user of a call that waits for approval. */
    announced: async ({ id, type, audience }: Announcement): Promise<void> => {
      if (type !== 'approval_requested' || audience === undefined) return
      await tell(audience, { topic: 'approvals', approvalId: `apv_${ulidIn(id)}` }, id)
    },

    /** Tells the user of the end of a task. */
    ended: async (taskId: string): Promise<void> => {
      const task = await findTask(taskId)
      if (task?.completedAt === undefined || !TOLD.has(task.status)) return
      const { createdBy, completedAt: endedAt } = task
      await tell(createdBy, { topic: 'results', taskId, endedAt }, `${taskId}_${Date.parse(endedAt)}`)
    },
  }
}

const TOLD: ReadonlySet<string> = new Set(['completed', 'failed'])

const toSubscription = ({ id, device, topics, createdAt }: PushSubscriptionRow): PushSubscription => ({
  id,
  device,
  topics,
  createdAt,
})

const tooMany = () =>
  new Problem(
    'invalid',
    'too_many_push_subscriptions',
    `Notifications are already turned on in ${MOST_SUBSCRIPTIONS} browsers. Remove one first`,
  )
