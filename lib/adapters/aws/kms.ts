import type { KMSClient } from '@aws-sdk/client-kms'
import { bytesIn, NONCE_BYTES, openBody, sealBody, unreadable } from '../../core/sealed.ts'
import type { Cipher } from '../../ports/cipher.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Entropy } from '../../ports/entropy.ts'
import { type Place, settings } from './clients.ts'
import { asUnavailable, nameOf } from './failure.ts'

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
type CachedKey = { asked: Promise<DataKey>; since: number; uses: number }

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
  let connected: Promise<KMSClient> | undefined
  const client = (): Promise<KMSClient> => {
    connected ??= connect()
    return connected
  }

  const isFresh = (kept: CachedKey | undefined): kept is CachedKey =>
    kept !== undefined && clock.monotonic() - kept.since < KEPT_MS && kept.uses < MOST_USES
  const keep = (asked: Promise<DataKey>): CachedKey => ({ asked, since: clock.monotonic(), uses: 0 })

  const made = async (): Promise<DataKey> => {
    const { GenerateDataKeyCommand } = await import('@aws-sdk/client-kms')
    const command = new GenerateDataKeyCommand({ KeyId: keyId, KeySpec: 'AES_256', EncryptionContext })
    const { Plaintext, CiphertextBlob } = await (await client()).send(command).catch(failed)
    return { key: bytesOf(Plaintext), wrapped: bytesOf(CiphertextBlob).toString('base64url') }
  }

  const unwrapped = async (wrapped: string): Promise<DataKey> => {
    const { DecryptCommand } = await import('@aws-sdk/client-kms')
    const command = new DecryptCommand({ CiphertextBlob: bytesIn(wrapped), EncryptionContext })
    const { Plaintext } = await (await client())
      .send(command)
      .catch((thrown) => {
        throw UNREADABLE.has(nameOf(thrown)) ? unreadable() : thrown
      })
      .catch(failed)
    return { key: bytesOf(Plaintext), wrapped }
  }

  const keyToSeal = (): Promise<DataKey> => {
    if (!isFresh(sealing)) {
      const kept = keep(made())
      sealing = kept
      // After a failure the next caller asks again.
      kept.asked.catch(() => {
        if (sealing === kept) sealing = undefined
      })
    }
    sealing.uses += 1
    return sealing.asked
  }

  const keyToOpen = (wrapped: string): Promise<DataKey> => {
    const known = opening.get(wrapped)
    if (isFresh(known)) return known.asked
    const kept = keep(unwrapped(wrapped))
    opening.delete(wrapped)
    opening.set(wrapped, kept)
    kept.asked.catch(() => opening.delete(wrapped))
    const [oldest] = opening.keys()
    if (opening.size > MOST_OPENED && oldest !== undefined) opening.delete(oldest)
    return kept.asked
  }

  return {
    seal: async (text, context) => {
      const { key, wrapped } = await keyToSeal()
      return `${SCHEME}${wrapped}.${sealBody(text, entropy(NONCE_BYTES), { key, context })}`
    },
    open: async (sealed, context) => {
      if (!sealed.startsWith(SCHEME)) return opened(older, sealed, context)
      const [wrapped = '', body = '', ...more] = sealed.slice(SCHEME.length).split('.')
      if (more.length > 0) throw unreadable()
      const { key } = await keyToOpen(wrapped)
      return openBody(body, { key, context })
    },
  }
}

const opened = (cipher: Cipher | undefined, sealed: string, context: string): Promise<string> => {
  if (cipher === undefined) throw unreadable()
  return cipher.open(sealed, context)
}

const bytesOf = (answered: Uint8Array | undefined): Buffer => {
  if (answered === undefined) throw new Error('KMS answered without a key')
  return Buffer.from(answered)
}

const failed = (thrown: unknown): never => {
  throw asUnavailable(thrown, 'keys_unavailable', 'KMS')
}
