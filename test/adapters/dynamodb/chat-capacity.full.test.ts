import { beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { collections } from '../../../lib/collections.ts'
import type { Store } from '../../../lib/ports/store.ts'
import { hasDynoxide, startDynoxide } from '../../../offline/emulators.ts'
import { costsOfSession, STREAMED_SECONDS } from '../../agentic/stored-costs.ts'
import { openChat } from '../../chat/long-conversation.ts'
import { databaseForTests } from '../../fakes/database.ts'
import { type Capacity, meterCapacity } from './capacity-meter.ts'
import { openTables } from './opened.ts'

if (!hasDynoxide()) console.error('dynoxide is not installed for this machine: nothing counts capacity units')
const suite = hasDynoxide() ? describe : describe.skip
suite('the capacity units of chat', () => {
  const database = databaseForTests(startDynoxide)
  let store: Store
  let meter: () => Capacity
  beforeAll(async () => {
    const { client } = database()
    store = (await openTables({ client, collections, clock: createClock() })).store
    meter = meterCapacity(client)
  })

  it('are at most 4 written for a step, and one more for each 2 s that a reader follows', async () => {
    const costs = await costsOfSession(store, meter)
    expect(costs.short.write).toBeLessThanOrEqual(4)
    expect(costs.seen.write).toBeLessThanOrEqual(4 + STREAMED_SECONDS / 2)
    // It was followed all the while: so much of it came apart.
    expect(costs.followed.filter((type) => type === 'content').length).toBeGreaterThan(STREAMED_SECONDS / 2)
  })

  it('are the same to read for a conversation of 1,000 messages as for one of 100', async () => {
    const chat = openChat(store)
    const turnCosts = async (messages: number) => {
      const operations = chat.operations(await chat.filled(messages))
      // The first turn summarises what is too much.
      for (const [, work] of operations) await work()
      const costs: Record<string, number> = {}
      for (const [name, work] of operations) {
        meter()
        await work()
        costs[name] = meter().read
      }
      return costs
    }
    const few = await turnCosts(100)
    expect(Object.values(few).every((units) => units > 0)).toBe(true)
    expect(await turnCosts(1_000)).toEqual(few)
  })
})
