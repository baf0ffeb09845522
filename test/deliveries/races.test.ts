import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import type { Store } from '../../lib/ports/store.ts'
import { type Emulator, hasDynoxide, startDynoxide } from '../../offline/emulators.ts'
import { openClient, openTables } from '../adapters/dynamodb/opened.ts'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import { createFakeClock, type FakeClock } from '../fakes/clock.ts'
import { deliveryCollections, openDeliveries, sample } from './opened.ts'

type Open = (clock: FakeClock) => Promise<{ store: Store; again: () => Store }>

const races = (name: string, open: Open) =>
  describe(`deliveries that many processes know of, on ${name},`, () => {
    it('are sent once when all of them look at the same moment', async () => {
      await using receiver = await startReceiver()
      const clock = createFakeClock()
      const { store, again } = await open(clock)
      const first = openDeliveries({ clock, store })
      first.deliveries.stop()
      for (let n = 0; n < 20; n++) await first.add({ id: `evt_${n}`, url: receiver.url })
      const others = Array.from({ length: 4 }, () => openDeliveries({ clock, store: again() }))
      await Promise.all(others.map((other) => other.tick()))
      expect(receiver.heard.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(
        Array.from({ length: 20 }, (_, n) => `evt_${n}`).toSorted(),
      )
      expect(await first.row('evt_7')).toMatchObject({ status: 'delivered', attempts: { length: 1 } })
    })

    it('are made once when several add the same one, and sent by the one that made it', async () => {
      await using receiver = await startReceiver()
      const clock = createFakeClock()
      const { store, again } = await open(clock)
      const all = [store, again(), again()].map((each) => openDeliveries({ clock, store: each }))
      await Promise.all(all.map((each) => each.add({ url: receiver.url })))
      expect(receiver.heard).toHaveLength(1)
      expect(await all[0]?.row(sample.id)).toMatchObject({ status: 'delivered' })
    })
  })

races('SQLite', async (clock) => {
  const store = openSqliteStore({ file: ':memory:', collections: deliveryCollections, clock })
  return { store, again: () => store }
})

if (hasDynoxide()) {
  let emulator: Emulator | undefined
  beforeAll(async () => {
    emulator = await startDynoxide()
  })
  afterAll(() => emulator?.stop())
  races('DynamoDB', async (clock) => {
    const client = openClient(emulator?.endpoint ?? '')
    return openTables({ client, collections: deliveryCollections, clock })
  })
} else it('finds dynoxide in CI', () => expect(process.env.CI).toBeUndefined())
