import type { KMSClient } from '@aws-sdk/client-kms'
import { bytesIn, NONCE_BYTES, openBody, sealBody, unreadable } from '../../core/sealed.ts'
import type { Cipher } from '../../ports/cipher.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Entropy } from '../../ports/entropy.ts'
import { type Place, settings } from './clients.ts'
import { errorName, throwUnavailable } from './failure.ts'

type Needs = {
  /** Called once, at the first need of a key. */
  connect: () => Promise<KMSClient>
  /** Id, ARN or alias of a symmetric key. */
  keyId: string
  entropy: Entropy
  clock: Pick<Clock, 'monotonic'>
  /** Opens texts that were sealed before there was a KMS key. */
  older?: Cipher
}

/** An AES-256 key that KMS made, and its wrapped form, which only KMS can read. */
type DataKey = { key: Buffer; wrapped: string }
/** A requested data key, shared by all callers. */
type CachedKey = { dataKey: Promise<DataKey>; since: number; uses: number }

/** How long, and for how many texts, a data key stays in memory: this limits the damage of a leak. */
const KEPT_MS = 300_000
const MOST_USES = 10_000
const MOST_OPENED = 100

const SCHEME = 'v1.kms.'
/** KMS binds every data key to this context, and shows it in its trail. */
const EncryptionContext = { service: 'agent-task-service' }
/** KMS's errors for a damaged wrapped key, and for one whose own key was deleted. */
const UNREADABLE: ReadonlySet<string> = new Set([
  'InvalidCiphertextException',
  'IncorrectKeyException',
  'NotFoundException',
])

const failed = throwUnavailable('keys_unavailable', 'KMS')

/** Loaded on demand: in functions outside of a container the runtime has it, so the bundle does not. */
export const openKms = async (place: Place): Promise<KMSClient> =>
  new (await import('@aws-sdk/client-kms')).KMSClient(settings(place, { attempts: 3, answerMs: 3_000 }))

/**
 * Envelope encryption: texts are sealed here, with data keys that KMS makes and only KMS can unwrap. A sealed text is
 * `v1.kms.<wrapped data key>.<body>`. The wrapped key names its KMS key, so after a change of `keyId` older texts open
 * while the role may use the older key.
 */
export const createKmsCipher = ({ connect, keyId, entropy, clock, older }: Needs): Cipher => {
  let sealing: CachedKey | undefined
  const opening = new Map<string, CachedKey>()
  let client: Promise<KMSClient> | undefined
  const connected = (): Promise<KMSClient> => {
    client ??= connect()
    return client
  }

  const isFresh = (cached: CachedKey | undefined): cached is CachedKey =>
    cached !== undefined && clock.monotonic() - cached.since < KEPT_MS && cached.uses < MOST_USES
  const cache = (dataKey: Promise<DataKey>): CachedKey => ({ dataKey, since: clock.monotonic(), uses: 0 })

  const newKey = async (): Promise<DataKey> => {
    const { GenerateDataKeyCommand } = await import('@aws-sdk/client-kms')
    const command = new GenerateDataKeyCommand({ KeyId: keyId, KeySpec: 'AES_256', EncryptionContext })
    const { Plaintext, CiphertextBlob } = await (await connected()).send(command).catch(failed)
    return { key: keyBytes(Plaintext), wrapped: keyBytes(CiphertextBlob).toString('base64url') }
  }

  const unwrap = async (wrapped: string): Promise<DataKey> => {
    const { DecryptCommand } = await import('@aws-sdk/client-kms')
    const command = new DecryptCommand({ CiphertextBlob: bytesIn(wrapped), EncryptionContext })
    const { Plaintext } = await (await connected())
      .send(command)
      .catch((thrown) => {
        throw UNREADABLE.has(errorName(thrown)) ? unreadable() : thrown
      })
      .catch(failed)
    return { key: keyBytes(Plaintext), wrapped }
  }

  const keyToSeal = (): Promise<DataKey> => {
    if (!isFresh(sealing)) {
      const cached = cache(newKey())
      sealing = cached
      // After a failure the next caller asks again.
      cached.dataKey.catch(() => {
        if (sealing === cached) sealing = undefined
      })
    }
    sealing.uses += 1
    return sealing.dataKey
  }

  const keyToOpen = (wrapped: string): Promise<DataKey> => {
    const present = opening.get(wrapped)
    if (isFresh(present)) return present.dataKey
    const cached = cache(unwrap(wrapped))
    opening.delete(wrapped)
    opening.set(wrapped, cached)
    cached.dataKey.catch(() => opening.delete(wrapped))
    const [oldest] = opening.keys()
    if (opening.size > MOST_OPENED && oldest !== undefined) opening.delete(oldest)
    return cached.dataKey
  }

  return {
    seal: async (text, context) => {
      const { key, wrapped } = await keyToSeal()
      return `${SCHEME}${wrapped}.${sealBody(text, entropy(NONCE_BYTES), { key, context })}`
    },
    open: async (sealed, context) => {
      const isOurs = sealed.startsWith(SCHEME)
      if (!isOurs && older !== undefined) return older.open(sealed, context)
      const [wrapped = '', body = '', ...more] = sealed.slice(SCHEME.length).split('.')
      if (!isOurs || more.length > 0) throw unreadable()
      const { key } = await keyToOpen(wrapped)
      return openBody(body, { key, context })
    },
  }
}

const keyBytes = (answer: Uint8Array | undefined): Buffer => {
  if (answer === undefined) throw new Error('KMS answered without a key')
  return Buffer.from(answer)
}
