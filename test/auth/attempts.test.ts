import { afterAll, describe, expect, it } from '@jest/globals'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { createAttempts } from '../../lib/auth/attempts.ts'
import type { Collection } from '../../lib/core/collection.ts'
import { callsRows, createLimiter } from '../../lib/limits/limiter.ts'
import { createFakeClock } from '../fakes/clock.ts'

describe('attempts to sign in', () => {
  const clock = createFakeClock()
  const collections = [callsRows] as unknown as readonly Collection[]
  const store = openSqliteStore({ file: ':memory:', collections, clock })
  const count = createAttempts({ limiter: createLimiter({ store, clock, entropy }) })
  afterAll(() => store.close())

  /** How many of ten attempts from an address pass. */
  const passed = async (address: string, account: (n: number) => string): Promise<number> => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => count('login', { address, account: account(n) })),
    )
    return outcomes.filter(({ status }) => status === 'fulfilled').length
  }

  it('of an address that is refused use up nothing of an account', async () => {
    expect(await passed('203.0.113.1', (n) => `somebody ${n}`)).toBe(10)
    expect(await passed('203.0.113.1', () => 'victim')).toBe(0)
    expect(await passed('203.0.113.2', () => 'victim')).toBe(10)
  })

  it('at an account that is refused use up nothing of an address', async () => {
    expect(await passed('203.0.113.3', () => 'victim')).toBe(0)
    expect(await passed('203.0.113.3', (n) => `another ${n}`)).toBe(10)
  })
})
