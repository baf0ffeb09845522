import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createOutbound } from '../../lib/adapters/node/outbound.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { iso } from '../../lib/core/time.ts'
import { createFairQueue } from '../../lib/deliveries/fair-queue.ts'
import { deliveryRows } from '../../lib/deliveries/rows.ts'
import type { DeliveryRow } from '../../lib/deliveries/schema.ts'
import type { Store } from '../../lib/ports/store.ts'
import { every } from '../../lib/worker/beat.ts'
import { type Emulator, hasDynoxide, startDynoxide } from '../../offline/emulators.ts'
import { openClient, openTables } from '../adapters/dynamodb/opened.ts'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import { createFakeClock, type FakeClock } from '../fakes/clock.ts'
import { turns, until } from '../fakes/service.ts'
import { deliveryCollections, heldOutbound, openDeliveries, sample } from './opened.ts'

const PER_ENDPOINT = 16
const DEAD = 'https://dead.example/hook'
const numbered = (count: number, endpointUrl: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => ({
    ...sample,
    id: `evt_${endpointUrl(n)}_${n}`,
    url: endpointUrl(n),
  }))
const deliveryTimes = (urls: readonly string[]) =>
  new Map(urls.map((url) => [url, urls.filter((one) => one === url).length]))

describe('deliveries to an endpoint that never answers', () => {
  it('are so many at once, and the next one goes when one has ended', async () => {
    const { open, outbound } = heldOutbound()
    await using opened = openDeliveries({ outbound })
    for (const one of numbered(40, () => DEAD)) await opened.deliveries.add(one)
    await turns()
    expect(open).toHaveLength(PER_ENDPOINT)
    open[0]?.answer(200)
    await turns()
    expect(open).toHaveLength(PER_ENDPOINT + 1)
  })

  it.each([
    ['one endpoint', 1, () => DEAD],
    ['ten endpoints of the same host', 10, (n: number) => `https://healthy.example/dead/${n % 10}?try=${n}`],
    ['a hundred hosts', 100, (n: number) => `https://dead${n % 100}.example/`],
  ])('delay no other, be they to %s', async (_title, endpoints, endpointUrl) => {
    const { open, outbound } = heldOutbound()
    await using opened = openDeliveries({ outbound })
    for (const one of numbered(20 * endpoints, endpointUrl)) await opened.deliveries.add(one)
    for (const one of numbered(40, (n) => `https://healthy.example/${n % 4}`))
      await opened.deliveries.add(one)
    const healthy = () => open.filter(({ url }) => /healthy.example\/\d/.test(url))
    for (let answered = 0; answered < 40; answered += 1) {
      await until(() => healthy().length > answered)
      healthy()[answered]?.answer(200)
    }
    const dead = deliveryTimes(
      open.map(({ url }) => url.replace(/\?.*/, '')).filter((url) => url.includes('dead')),
    )
    expect(dead.size).toBe(endpoints)
    expect(Math.max(...dead.values())).toBeLessThanOrEqual(PER_ENDPOINT)
  })
})

describe('thousands of endpoints that wait for a place', () => {
  it('are not all looked at when one becomes free', async () => {
    const [ENDPOINTS, PLACES] = [3_000, 256]
    const ends: (() => void)[] = []
    let looks = 0
    const isOpen = () => {
      looks += 1
      return true
    }
    const queue = createFairQueue(() => new Promise<void>((resolve) => ends.push(resolve)), isOpen)
    for (let n = 0; n < ENDPOINTS; n += 1) queue.offer({ id: `${n}`, url: `https://host${n}.example/` })
    expect(ends).toHaveLength(PLACES)
    looks = 0
    ends[0]?.()
    await turns()
    expect([ends.length, looks < 10]).toEqual([PLACES + 1, true])
  })
})

type Open = (clock: FakeClock) => Promise<Store>

const backlogs = (name: string, open: Open) =>
  it(`delay none that became due after them, on ${name}`, async () => {
    const clock = createFakeClock()
    const store = await open(clock)
    const insert = (row: Partial<DeliveryRow>) =>
      store.commit<DeliveryRow>({
        insert: deliveryRows,
        row: { ...sample, status: 'pending', tries: 0, attempts: [], createdAt: iso(clock.now()), ...row },
      })
    const older = iso(clock.now() - 60_000)
    const dead = numbered(3_100, () => DEAD)
    for (let at = 0; at < dead.length; at += 100)
      await Promise.all(dead.slice(at, at + 100).map((one) => insert({ ...one, dueAt: older })))
    await insert({ id: 'evt_healthy', url: 'https://healthy.example/', dueAt: iso(clock.now()) })

    const held = heldOutbound()
    const { deliveries } = openDeliveries({ clock, store, outbound: held.outbound })
    for (let ticks = 0; ticks < 2; ticks += 1) await deliveries.sendDue()
    await until(() => held.open.some(({ url }) => url !== DEAD))
    expect(held.open.filter(({ url }) => url === DEAD)).toHaveLength(PER_ENDPOINT)
    await store.close()
  })

describe('thousands of due deliveries to an endpoint that never answers', () => {
  backlogs('SQLite', async (clock) =>
    openSqliteStore({ file: ':memory:', collections: deliveryCollections, clock }),
  )
  if (hasDynoxide()) {
    let emulator: Emulator | undefined
    beforeAll(async () => {
      emulator = await startDynoxide()
    })
    afterAll(() => emulator?.stop())
    backlogs('DynamoDB', async (clock) => {
      const client = openClient(emulator?.endpoint ?? '')
      return (await openTables({ client, collections: deliveryCollections, clock })).store
    })
  } else it('finds dynoxide in CI', () => expect(process.env.CI).toBeUndefined())
})

/** `npm run soak` sends 10,000. */
const MANY = Number(process.env.DELIVERIES ?? 1_000)
/** Each endpoint has more deliveries than may be on their way to it at once. */
const ENDPOINTS = MANY / 100

describe(`${MANY} deliveries to ${ENDPOINTS} endpoints of which a tenth hangs`, () => {
  it('reach all the others', async () => {
    const hanging = new Map<string, number>()
    await using receiver = await startReceiver((response, { path }) => {
      if (!path.includes('hang')) return void response.end('ok')
      hanging.set(path, (hanging.get(path) ?? 0) + 1)
    })
    const clock = createClock()
    const outbound = createOutbound({ clock, allow: ['127.0.0.1'] })
    await using opened = openDeliveries({ outbound })
    const { deliveries, log } = opened
    const end = every({ clock, log }, 'deliveries', 1_000, deliveries.sendDue)
    const origin = new URL(receiver.url).origin
    const all = numbered(
      MANY,
      (n) => `${origin}/${n % ENDPOINTS < ENDPOINTS / 10 ? 'hang' : 'ok'}/${n % ENDPOINTS}`,
    )
    const healthy = () => receiver.heard.filter(({ path }) => path.startsWith('/ok')).length
    await Promise.all(all.map((one) => deliveries.add(one)))
    while (healthy() < MANY * 0.9) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(healthy()).toBe(MANY * 0.9)
    expect(Math.max(...hanging.values())).toBeLessThanOrEqual(PER_ENDPOINT)
    deliveries.stop()
    await end()
  })
})
