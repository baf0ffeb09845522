import { definedFields } from '../core/defined-fields.ts'
import type { Masker } from '../core/masker.ts'
import { retryAfterMs } from '../core/retry-after.ts'
import type { DeliveryRow, Endpoints, Handled } from '../deliveries/schema.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { Store } from '../ports/store.ts'
import type { ReadCause } from './causes.ts'
import { type AlertMessage, approvalMessage, resultMessage } from './message.ts'
import { type AlertKeys, alertKeys, type PushSubscriptionRow, pushSubscriptions, VAPID } from './rows.ts'
import { AlertCauseSchema } from './schema.ts'
import { encryptedPush, makePushKeys, type PushKeys, pushChance, vapidAuthorization } from './web-push.ts'

/** Push services keep a message for a browser that is away. */
const KEPT_SECONDS = 86_400
/** RFC 8292 allows a day at most. */
const TOKEN_MS = 12 * 3_600_000

const KEY_CONTEXT = 'alerts/vapid'
export const subscriptionContext = (id: string): string => `alerts/${id}`

/** The prefix of the ids of subscriptions, which no other owner of deliveries has. */
export const PUSH_ID = 'psh'
const isPushId = (owner: string) => owner.startsWith(`${PUSH_ID}_`)

export type PushNeeds = {
  store: Store
  clock: Clock
  cipher: Cipher
  entropy: Entropy
  outbound: Outbound
  masker: Pick<Masker, 'logText'>
  /** The address of the service, by which a push service may reach its operator. */
  publicUrl: string | undefined
  /** Whether a browser may still have messages: its session lives, and its user may sign in. */
  mayReceive: (subscribed: Pick<PushSubscriptionRow, 'userId' | 'sessionId'>) => Promise<boolean>
}

/** The sealed part of a subscription. */
export type PushAddress = { endpoint: string; keys: { p256dh: string; auth: string } }

/** Sends messages to browsers by their push services. */
export const createPush = (needs: PushNeeds & { readCause: ReadCause }) => {
  const { store, clock, cipher, entropy, outbound, masker, publicUrl, mayReceive, readCause } = needs
  const subject = publicUrl?.startsWith('https:') ? publicUrl : 'mailto:operator@localhost'

  const opened = async ({ publicKey, privateKey }: AlertKeys): Promise<PushKeys> => ({
    publicKey: Buffer.from(publicKey, 'base64url'),
    privateKey: Buffer.from(await cipher.open(privateKey, KEY_CONTEXT), 'base64url'),
  })

  /** The keys of the service. Of processes that make them at once one wins. */
  const keys = async (): Promise<PushKeys> => {
    const stored = await store.get(alertKeys, VAPID)
    if (stored !== undefined) return opened(stored)
    const made = makePushKeys(entropy)
    const privateKey = await cipher.seal(made.privateKey.toString('base64url'), KEY_CONTEXT)
    const row: AlertKeys = { id: VAPID, publicKey: made.publicKey.toString('base64url'), privateKey }
    const { applied, row: other } = await store.commit<AlertKeys>({ insert: alertKeys, row })
    return applied || other === undefined ? made : opened(other)
  }

  const remove = ({ id }: Pick<PushSubscriptionRow, 'id'>) =>
    store.commit<PushSubscriptionRow>({ remove: pushSubscriptions, key: id })

  /** Whether a browser may still have messages; the subscription of any other is removed. */
  const isLive = async (row: PushSubscriptionRow): Promise<boolean> => {
    if (await mayReceive(row)) return true
    await remove(row)
    return false
  }

  /**
   * Sends a message to a browser that may have it. A subscription that its push service does not know any more is removed.
   * Without a `statusCode` nothing was sent.
   */
  const send = async (row: PushSubscriptionRow, message: AlertMessage): Promise<Handled> => {
    if (!(await isLive(row))) return { outcome: 'delivered' }
    const address: PushAddress = JSON.parse(await cipher.open(row.sealed, subscriptionContext(row.id)))
    const { endpoint } = address
    const receiver = {
      p256dh: Buffer.from(address.keys.p256dh, 'base64url'),
      auth: Buffer.from(address.keys.auth, 'base64url'),
    }
    const expiresAtMs = clock.now() + TOKEN_MS
    const { status: statusCode, headers } = await outbound.send({
      method: 'POST',
      url: endpoint,
      headers: {
        authorization: vapidAuthorization(await keys(), { endpoint, subject, expiresAtMs }),
        'content-encoding': 'aes128gcm',
        'content-type': 'application/octet-stream',
        ttl: String(KEPT_SECONDS),
        urgency: message.approvalId === undefined ? 'normal' : 'high',
      },
      body: encryptedPush(JSON.stringify(message), receiver, pushChance(entropy)),
    })
    if (GONE.has(statusCode)) {
      await remove(row)
      return { statusCode, outcome: 'delivered' }
    }
    if (statusCode >= 200 && statusCode < 300) return { statusCode, outcome: 'delivered' }
    if (statusCode !== TOO_MANY && statusCode < 500) return { statusCode, outcome: 'refused' }
    const askedMs = retryAfterMs(headers['retry-after'], clock.now())
    return { statusCode, outcome: 'again', ...definedFields({ retryAfterMs: askedMs }) }
  }

  /** The message of a delivery; undefined when its cause is gone. */
  const composed = async (body: string): Promise<AlertMessage | undefined> => {
    const told = await readCause(AlertCauseSchema.parse(JSON.parse(body)))
    if (told === undefined) return undefined
    return 'approval' in told ? approvalMessage(told.approval) : resultMessage(told.task, masker.logText)
  }

  const handle = async ({ owner, body }: DeliveryRow): Promise<Handled> => {
    const row = await store.get(pushSubscriptions, owner)
    const message = row && (await composed(body))
    return row && message ? send(row, message) : { outcome: 'delivered' }
  }

  const endpoints: Endpoints = {
    of: async (owner) => (isPushId(owner) ? { handle } : undefined),
    isFailing: async () => false,
    onLost: async () => [],
    onSent: async () => undefined,
  }

  return { keys, isLive, send, remove, endpoints }
}

const TOO_MANY = 429
const GONE: ReadonlySet<number> = new Set([404, 410])
