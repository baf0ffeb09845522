import { createHmac } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { createCipher } from '../../lib/adapters/node/cipher.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import type { Collection } from '../../lib/core/collection.ts'
import { derivePublicKey } from '../../lib/devices/ed25519.ts'
import { createOwnIdentity } from '../../lib/devices/identity.ts'
import { identityRows } from '../../lib/devices/rows.ts'
import { createFakeClock } from '../fakes/clock.ts'

describe('the key that hashes pairing codes', () => {
  it('is another than the one that signs', async () => {
    const clock = createFakeClock()
    const collections = [identityRows] as unknown as readonly Collection[]
    const store = openSqliteStore({ file: ':memory:', collections, clock })
    const key = entropy(32)
    const cipher = createCipher({ keys: () => [key], entropy })
    const { read, codeHash } = createOwnIdentity({ store, cipher, entropy, clock })
    const { publicKey } = await read()
    const row = await store.get(identityRows, 'service')
    const secret = Buffer.from(await cipher.open(row?.sealedSecret ?? '', 'devices/identity'), 'base64')
    expect((await derivePublicKey(secret)).toString('base64')).toBe(publicKey)
    const hashed = await codeHash('ABC123DEF')
    expect(hashed).not.toBe(createHmac('sha256', secret).update('ABC123DEF').digest('hex'))
  })
})
