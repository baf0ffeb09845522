import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createArgon2 } from '../../lib/adapters/node/argon2.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { createAccessKey } from '../../lib/auth/access-key.ts'
import type { Principal } from '../../lib/core/principal.ts'
import { clientAddress } from '../../lib/http/trusted-proxies.ts'
import { tokenRows } from '../../lib/tokens/rows.ts'
import { createTokens } from '../../lib/tokens/service.ts'
import { tokenText } from '../../lib/tokens/text.ts'
import { createTokenPrincipals } from '../../lib/tokens/token-principal.ts'
import { createWorld } from '../accounts/world.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { eventFrom } from '../fakes/http-event.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { createFakeLog } from '../fakes/log.ts'

let compared = 0
let derived = 0
const { timingSafeEqual, argon2 } = crypto

// The real functions, counted: that time tells nothing cannot be seen from outside.
beforeAll(() => {
  crypto.timingSafeEqual = (...given) => {
    compared += 1
    return timingSafeEqual(...given)
  }
  crypto.argon2 = ((...given: Parameters<typeof argon2>) => {
    derived += 1
    return argon2(...given)
  }) as typeof argon2
  syncBuiltinESMExports()
})

afterAll(() => {
  Object.assign(crypto, { timingSafeEqual, argon2 })
  syncBuiltinESMExports()
})

const ANN: Principal = { userId: 'user_ann', role: 'user' }

beforeEach(() => {
  compared = 0
  derived = 0
})

describe('a secret is compared in constant time where it is', () => {
  it('the ACCESS_KEY of the environment, right, wrong or of another length', async () => {
    const accessKey = createAccessKey({
      mode: () => 'local',
      fixedKey: 'the right key',
      stored: { hash: () => undefined, replaceHash: async () => true, reread: async () => undefined },
      passwords: createArgon2({ entropy }),
      sessions: {
        open: async () => ({ token: 'made', sessionId: 'id', expiresAt: 0 }),
        close: async () => true,
        closeAll: async () => undefined,
      },
      countAttempt: async () => undefined,
      audit: async () => undefined,
      mayBeOpen: true,
    })
    expect((await accessKey.verify('the right key')).token).toBe('made')
    for (const key of ['the wrong key', 'the right ke', 'x'])
      await expect(accessKey.verify(key)).rejects.toMatchObject({ code: 'wrong_access_key' })
    expect(compared).toBe(4)
  })

  it('the hash of an API token', async () => {
    const clock = createFakeClock()
    const store = openSqliteStore({ file: ':memory:', collections: [tokenRows] as never, clock })
    const audit = async () => undefined
    const { create } = createTokens({
      store,
      entropy,
      clock,
      ids: createFakeIds(),
      callsPerMinute: 60,
      audit,
    })
    const { id, token } = await create(ANN, { name: 'CI', scopes: ['gateway'] })
    const readAccountStatus = async () => ({ role: 'user' as const, disabled: false })
    const { findPrincipal } = createTokenPrincipals({
      store,
      clock,
      log: createFakeLog(),
      readAccountStatus,
    })
    expect(await findPrincipal(token, 'gateway')).toMatchObject({ tokenId: id })
    expect(await findPrincipal(tokenText(id, entropy), 'gateway')).toBeUndefined()
    expect(compared).toBe(2)
  })

  it('the secret of an invite, whether there is such an invite or not', async () => {
    const { invite, signUp } = createWorld()
    await signUp('Founder')
    const code = await invite()
    const known = code.slice(0, code.indexOf('-') + 1)
    for (const inviteCode of [`${known}wrong`, `UNKNOWN-${'x'.repeat(22)}`])
      await expect(signUp('Ann', { inviteCode })).rejects.toMatchObject({ code: 'invalid_invite' })
    expect(compared).toBe(2)
    await signUp('Ann', { inviteCode: code })
    expect(compared).toBe(3)
  })

  it('a reset code, whether there is such an account, or a code for it, or not', async () => {
    const { accounts, signUp } = createWorld({ registrationMode: 'open' })
    const ann = await signUp('Ann')
    await signUp('Bob')
    const { code } = await accounts.createResetCode(ANN, ann.id)
    for (const [name, tried] of [
      ['ann', `${code}x`],
      ['bob', code],
      ['nobody', code],
    ]) {
      const given = { email: `${name}@example.com`, code: tried ?? '', newPassword: 'battery staple 2' }
      await expect(accounts.resetPassword(given)).rejects.toMatchObject({ code: 'bad_reset_code' })
    }
    expect(compared).toBe(3)
  })

  it('what the proxies add to show that they were there', () => {
    const proxies = { trustedHops: 1, originSecret: 'of the proxy' }
    const from = (secret: string) => {
      const headers = { 'x-forwarded-for': '203.0.113.7', 'x-origin-secret': secret }
      return clientAddress(eventFrom('10.0.0.9', headers), proxies)
    }
    expect([from('of the proxy'), from('of a proxy'), from('')]).toEqual([
      '203.0.113.7',
      '10.0.0.9',
      '10.0.0.9',
    ])
    expect(compared).toBe(3)
  })

  it('a password, for which as much is worked where there is no account', async () => {
    const passwords = createArgon2({ entropy })
    const hash = await passwords.hash('correct horse 1')
    expect(derived).toBe(1)
    expect(await passwords.verify('correct horse 2', hash)).toBe(false)
    expect([derived, compared]).toEqual([2, 1])
    expect(await passwords.verify('correct horse 2', undefined)).toBe(false)
    expect([derived, compared]).toEqual([3, 2])
  })
})
