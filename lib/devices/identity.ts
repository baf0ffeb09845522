import { createHmac, hash, hkdfSync } from 'node:crypto'
import { iso } from '../core/time.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Store } from '../ports/store.ts'
import { derivePublicKey, sign } from './ed25519.ts'
import { type IdentityRow, identityRows } from './rows.ts'
import type { DeviceIdentity } from './schema.ts'

const ID = 'service'
const CONTEXT = 'devices/identity'
const SECRET_BYTES = 32

type Needs = { store: Store; cipher: Cipher; entropy: Entropy; clock: Clock }
type Secrets = { secret: Buffer; codeKey: Buffer }

export type OwnIdentity = ReturnType<typeof createOwnIdentity>

/** The Ed25519 identity of the installation, made at its first use; of several processes the first insert wins. */
export const createOwnIdentity = ({ store, cipher, entropy, clock }: Needs) => {
  const make = async (): Promise<IdentityRow> => {
    const secret = entropy(SECRET_BYTES)
    const row: IdentityRow = {
      id: ID,
      publicKey: (await derivePublicKey(secret)).toString('base64'),
      sealedSecret: await cipher.seal(secret.toString('base64'), CONTEXT),
      createdAt: iso(clock.now()),
    }
    const outcome = await store.commit<IdentityRow>({ insert: identityRows, row })
    return outcome.row ?? row
  }

  const stored = once(async () => (await store.get(identityRows, ID)) ?? (await make()))

  const secrets = once(async (): Promise<Secrets> => {
    const secret = Buffer.from(await cipher.open((await stored()).sealedSecret, CONTEXT), 'base64')
    // Codes are hashed with a key of their own, independent of the signing key.
    return { secret, codeKey: Buffer.from(hkdfSync('sha256', secret, '', 'svc-pairing-code-v1', 32)) }
  })

  return {
    read: async (): Promise<DeviceIdentity> =>
      toDeviceIdentity(Buffer.from((await stored()).publicKey, 'base64')),
    sign: async (message: Uint8Array): Promise<Buffer> => sign(message, (await secrets()).secret),
    /** Codes are short enough to be found by trial, so a reader of storage must not have the key of their hash. */
    codeHash: async (code: string): Promise<string> =>
      createHmac('sha256', (await secrets()).codeKey)
        .update(code)
        .digest('hex'),
  }
}

/** Opens the secret of the identity, if one exists. Throws Problem `unavailable` when its key is missing. */
export const openIdentity = async (store: Store, cipher: Cipher): Promise<void> => {
  const row = await store.get(identityRows, ID)
  if (row !== undefined) await cipher.open(row.sealedSecret, CONTEXT)
}

export const toDeviceIdentity = (publicKey: Buffer): DeviceIdentity => {
  const digest = hash('sha256', publicKey)
  return {
    deviceId: `dev_${digest.slice(0, 32)}`,
    publicKey: publicKey.toString('base64'),
    fingerprint: `sha256:${digest}`,
  }
}

/** Caches a result; a failure is not cached. */
const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | undefined
  return () => {
    result ??= make().catch((thrown) => {
      result = undefined
      throw thrown
    })
    return result
  }
}
