import { describe, expect, it } from '@jest/globals'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import type { Collection } from '../../lib/core/collection.ts'
import type { Principal } from '../../lib/core/principal.ts'
import type { Store } from '../../lib/ports/store.ts'
import { CreateTokenBody } from '../../lib/tokens/contract.ts'
import { tokenRows } from '../../lib/tokens/rows.ts'
import { createTokens } from '../../lib/tokens/service.ts'
import { tokenHash, tokenIdIn } from '../../lib/tokens/text.ts'
import { createTokenPrincipals } from '../../lib/tokens/token-principal.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { createFakeLog } from '../fakes/log.ts'
import { ANN, BOB } from '../fakes/service.ts'

const ADMIN: Principal = { userId: 'user_eve', role: 'admin' }
const DAY_MS = 86_400_000

/** Tokens over real SQLite, every call of the store counted, and people who may be disabled. */
const opened = () => {
  const clock = createFakeClock()
  const collections = [tokenRows] as unknown as readonly Collection[]
  const real = openSqliteStore({ file: ':memory:', collections, clock })
  const calls = { get: 0, commit: 0 }
  const store = {
    ...real,
    get: (...given: Parameters<Store['get']>) => {
      calls.get += 1
      return real.get(...given)
    },
    commit: (...given: Parameters<Store['commit']>) => {
      calls.commit += 1
      return real.commit(...given)
    },
  } as Store
  const audited: [string, object][] = []
  const people = new Map<string, { role: 'user' | 'admin'; disabled: boolean }>([
    ['user_ann', { role: 'user', disabled: false }],
    ['user_bob', { role: 'user', disabled: false }],
  ])
  const log = createFakeLog()
  const audit = async (_principal: Principal, action: string, details: object) => {
    audited.push([action, details])
  }
  const tokens = createTokens({ store, entropy, clock, ids: createFakeIds(), callsPerMinute: 60, audit })
  const { findPrincipal } = createTokenPrincipals({
    store,
    clock,
    log,
    readAccountStatus: async (id) => people.get(id),
  })
  const make = (more: object = {}, as = ANN) =>
    tokens.create(as, { name: 'CI', scopes: ['gateway'], ...more })
  return { ...tokens, clock, store, calls, audited, people, log, findPrincipal, make }
}

const list = { limit: 50, offset: undefined, cursor: undefined }

describe('the name of an API token', () => {
  it.each(['CI\nadmin', 'CI\0', 'CI\u202e', 'CI\u2066', '\u200b', ' ', ' CI', 'x'.repeat(101)])(
    'is not %j',
    (name) => {
      expect(CreateTokenBody.safeParse({ name, scopes: ['gateway'] }).success).toBe(false)
    },
  )

  it('is one line of any script', () => {
    expect(CreateTokenBody.parse({ name: 'بناء 🧑‍💻', scopes: ['gateway'] }).name).toBe('بناء 🧑‍💻')
  })
})

describe('a new API token', () => {
  it('has its id, 160 random bits and a checksum in its text', async () => {
    const { make } = opened()
    const { token, ...rest } = await make({ scopes: ['webhooks', 'gateway', 'webhooks'], expiresInDays: 30 })
    expect(token).toMatch(/^svc_0{25}1_[0-9a-f]{48}$/)
    expect(tokenIdIn(token)).toBe(rest.id)
    expect(rest).toEqual({
      id: 'tok_00000000000000000000000001',
      name: 'CI',
      userId: 'user_ann',
      scopes: ['webhooks', 'gateway'],
      createdAt: '2026-01-01T12:00:00.000Z',
      expiresAt: '2026-01-31T12:00:00.000Z',
    })
  })

  it('is stored as a hash, and its text is in no row, list, log line or audit record', async () => {
    const { make, store, findPrincipal, audited, log, ...tokens } = opened()
    const { token, id } = await make()
    await findPrincipal(token, 'gateway')
    await findPrincipal(`${token}x`, 'gateway')
    const row = await store.get(tokenRows, id, true)
    expect(row?.hash).toBe(tokenHash(token))
    const secret = token.slice(token.lastIndexOf('_') + 1)
    const kept = JSON.stringify([row, await tokens.list(ANN, list), audited, log.entries])
    for (const part of [token, secret, secret.slice(0, 40), secret.slice(-8)])
      expect(kept).not.toContain(part)
    expect(JSON.stringify(await tokens.list(ADMIN, list))).not.toContain(row?.hash)
  })
})

describe('the limit of a token', () => {
  it('is what the operator allows at most, and what an admin says', async () => {
    const { make, calls } = opened()
    await expect(make({ rateLimit: 61 })).rejects.toMatchObject({
      kind: 'invalid',
      code: 'validation_failed',
      details: [{ path: 'rateLimit', message: expect.stringMatching(/at most 60\b/) }],
    })
    expect(calls.commit).toBe(0)
    expect(await make({ rateLimit: 60 })).toMatchObject({ rateLimit: 60 })
    expect(await make({ rateLimit: 1_000_000 }, ADMIN)).toMatchObject({ rateLimit: 1_000_000 })
  })
})

describe('the text of a token', () => {
  it.each([
    ['nothing', ''],
    ['a session', 'c2Vzc2lvbg'],
    ['another prefix', (token: string) => token.replace('svc_', 'pat_')],
    ['a changed secret', (token: string) => flipped(token, -20)],
    ['a changed checksum', (token: string) => flipped(token, -1)],
    ['a changed id', (token: string) => token.replace('1_', '2_')],
    ['a letter too few', (token: string) => token.slice(0, -1)],
    ['a letter too many', (token: string) => `${token}0`],
    ['upper case', (token: string) => token.toUpperCase()],
  ])('that is %s is refused without asking storage', async (_title, given) => {
    const { make, calls, findPrincipal } = opened()
    const { token } = await make()
    await expect(
      findPrincipal(typeof given === 'string' ? given : given(token), 'gateway'),
    ).resolves.toBeUndefined()
    expect(calls.get).toBe(0)
  })

  it('that is well formed but unknown is refused after one look', async () => {
    const { make, calls, findPrincipal } = opened()
    await make()
    const other = opened()
    const { token } = await other.make()
    await expect(findPrincipal(token, 'gateway')).resolves.toBeUndefined()
    expect(calls.get).toBe(1)
  })
})

const flipped = (token: string, at: number) => {
  const place = token.length + at
  return token.slice(0, place) + (token[place] === '0' ? '1' : '0') + token.slice(place + 1)
}

describe('the bearer of a token', () => {
  it('is its maker, with the limit of the token', async () => {
    const { make, findPrincipal } = opened()
    const { token, id } = await make({ rateLimit: 5 })
    expect(await findPrincipal(token, 'gateway')).toEqual({
      userId: 'user_ann',
      role: 'user',
      tokenId: id,
      callsPerMinute: 5,
    })
  })

  it('is refused what the token was not made for', async () => {
    const { make, findPrincipal } = opened()
    const { token } = await make({ scopes: ['webhooks'] })
    await expect(findPrincipal(token, 'gateway')).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'scope_missing',
    })
    expect(await findPrincipal(token, 'webhooks')).toMatchObject({ userId: 'user_ann' })
  })

  it('is refused once it is revoked', async () => {
    const { make, findPrincipal, revoke } = opened()
    const { token, id } = await make()
    await revoke(ANN, id)
    expect(await findPrincipal(token, 'gateway')).toBeUndefined()
  })

  it('is refused from the moment on that it expires', async () => {
    const { make, findPrincipal, clock } = opened()
    const { token } = await make({ expiresInDays: 1 })
    clock.advance(DAY_MS - 1)
    expect(await findPrincipal(token, 'gateway')).toBeDefined()
    clock.advance(1)
    expect(await findPrincipal(token, 'gateway')).toBeUndefined()
  })

  it('is refused while its maker is disabled or gone', async () => {
    const { make, findPrincipal, people } = opened()
    const { token } = await make()
    people.set('user_ann', { role: 'user', disabled: true })
    expect(await findPrincipal(token, 'gateway')).toBeUndefined()
    people.delete('user_ann')
    expect(await findPrincipal(token, 'gateway')).toBeUndefined()
  })

  it('has its use noted once a minute at most', async () => {
    const { make, findPrincipal, clock, calls, ...tokens } = opened()
    const { token } = await make()
    const lastUsedAt = async () => (await tokens.list(ANN, list)).tokens[0]?.lastUsedAt
    expect(await lastUsedAt()).toBeUndefined()
    const before = calls.commit
    for (let n = 0; n < 100; n++) await findPrincipal(token, 'gateway')
    expect(await lastUsedAt()).toBe('2026-01-01T12:00:00.000Z')
    clock.advance(59_999)
    await findPrincipal(token, 'gateway')
    expect(calls.commit - before).toBe(1)
    clock.advance(1)
    await findPrincipal(token, 'gateway')
    expect(calls.commit - before).toBe(2)
    expect(await lastUsedAt()).toBe('2026-01-01T12:01:00.000Z')
  })

  it('comes in although its use cannot be noted', async () => {
    const { make, findPrincipal, store, log } = opened()
    const { token } = await make()
    store.commit = async () => {
      throw new Error('the disk is full')
    }
    expect(await findPrincipal(token, 'gateway')).toMatchObject({ userId: 'user_ann' })
    expect(log.entries).toMatchObject([{ level: 'warn', fields: { reason: 'the disk is full' } }])
  })
})

describe('the list of tokens', () => {
  it('shows people their own and admins those of everybody, newest first', async () => {
    const { make, clock, ...tokens } = opened()
    for (const [name, as] of [['a', ANN] as const, ['b', BOB] as const, ['c', ANN] as const]) {
      await make({ name }, as)
      clock.advance(1)
    }
    const names = async (as: Principal) => (await tokens.list(as, list)).tokens.map(({ name }) => name)
    expect(await names(ANN)).toEqual(['c', 'a'])
    expect(await names(BOB)).toEqual(['b'])
    expect(await names(ADMIN)).toEqual(['c', 'b', 'a'])
    const totals = () =>
      Promise.all([ANN, BOB, ADMIN].map(async (as) => (await tokens.list(as, { limit: 1 })).total))
    expect(await totals()).toEqual([2, 1, 3])
    const [newest] = (await tokens.list(ANN, list)).tokens
    await tokens.revoke(ANN, newest?.id ?? '')
    expect(await totals()).toEqual([1, 1, 2])
  })

  it('comes in pages, whose cursors are refused for another user', async () => {
    const { make, clock, ...tokens } = opened()
    for (let n = 0; n < 5; n++) {
      await make({ name: `${n}` })
      clock.advance(1)
    }
    const first = await tokens.list(ANN, { ...list, limit: 3 })
    expect(first).toMatchObject({ total: 5, count: 3, limit: 3 })
    const second = await tokens.list(ANN, { ...list, limit: 3, cursor: first.nextCursor })
    expect(second.tokens.map(({ name }) => name)).toEqual(['1', '0'])
    expect(second).not.toHaveProperty('nextCursor')
    await expect(tokens.list(BOB, { ...list, cursor: first.nextCursor })).rejects.toThrow('cursor')
    await expect(tokens.list(ADMIN, { ...list, cursor: first.nextCursor })).rejects.toThrow('cursor')
  })
})

describe('to revoke a token', () => {
  it('is for its maker and for admins; for others it is not there', async () => {
    const { make, revoke } = opened()
    const [first, second] = [await make(), await make()]
    await expect(revoke(BOB, first.id)).rejects.toMatchObject({ kind: 'missing', code: 'token_not_found' })
    await revoke(ANN, first.id)
    await revoke(ADMIN, second.id)
    await expect(revoke(ANN, first.id)).rejects.toMatchObject({ kind: 'missing' })
  })

  it('is on record, and so is to make one', async () => {
    const { make, revoke, audited } = opened()
    const { id } = await make()
    await revoke(ADMIN, id)
    const details = { id, name: 'CI', userId: 'user_ann', scopes: ['gateway'] }
    expect(audited).toEqual([
      ['token.create', details],
      ['token.revoke', details],
    ])
  })
})
