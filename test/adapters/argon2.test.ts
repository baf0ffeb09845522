import { describe, expect, it } from '@jest/globals'
import { createArgon2 } from '../../lib/adapters/node/argon2.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'

const passwords = createArgon2({ entropy })

describe('argon2id', () => {
  it('makes a PHC string with a salt of its own, of the parameters that OWASP asks for', async () => {
    const hashes = await Promise.all([passwords.hash('one 1'), passwords.hash('one 1')])
    for (const hash of hashes)
      expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(hashes[0]).not.toBe(hashes[1])
  })

  it('knows the password that made a hash, and no other', async () => {
    const hash = await passwords.hash('pässword 1')
    expect(await passwords.verify('pässword 1', hash)).toBe(true)
    for (const other of ['pässword 2', 'Pässword 1', '', 'pässword 1 '])
      expect(await passwords.verify(other, hash)).toBe(false)
    expect(await passwords.verify('pässword 1', undefined)).toBe(false)
  })

  // From the test suite of the reference implementation, phc-winner-argon2.
  it('reads hashes of other parameters', async () => {
    const hash = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
    expect(await passwords.verify('password', hash)).toBe(true)
    expect(await passwords.verify('passwore', hash)).toBe(false)
  })

  it('refuses a stored hash that is none', async () => {
    await expect(passwords.verify('one 1', '$2b$10$abc')).rejects.toThrow(/not argon2id/)
  })

  it('refuses those who would wait behind two hundred, and serves the others', async () => {
    const hash = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
    const came = await Promise.allSettled(
      Array.from({ length: 205 }, () => passwords.verify('password', hash)),
    )
    expect(came.slice(0, 202)).toEqual(came.slice(0, 202).map(() => ({ status: 'fulfilled', value: true })))
    for (const late of came.slice(202))
      expect(late).toMatchObject({
        reason: { kind: 'unavailable', code: 'sign_in_busy', retryAfterMs: 1_000 },
      })
  })
})
