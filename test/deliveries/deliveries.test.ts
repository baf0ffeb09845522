import { describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createOutbound } from '../../lib/adapters/node/outbound.ts'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import { turns } from '../fakes/service.ts'
import { DELAYS_MS, heldOutbound, openDeliveries, sample } from './opened.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

describe('a delivery', () => {
  it('is sent at once, as it is, with its id and the time', async () => {
    await using receiver = await startReceiver()
    await using opened = openDeliveries()
    await opened.add({ url: receiver.url })
    expect(receiver.heard).toMatchObject([
      {
        path: '/hook',
        body: sample.body,
        headers: {
          'content-type': 'application/json',
          'webhook-id': 'evt_1',
          'webhook-timestamp': String(opened.clock.now() / 1_000),
        },
      },
    ])
    expect(receiver.heard[0]?.headers).not.toHaveProperty('x-svc-signature')
    expect(await opened.row()).toMatchObject({
      status: 'delivered',
      attempts: [{ at: '2026-01-01T12:00:00.000Z', statusCode: 200, responseBody: 'ok', durationMs: 0 }],
    })
  })

  it('is sent once, however often it is added', async () => {
    await using receiver = await startReceiver()
    await using opened = openDeliveries()
    await Promise.all([1, 2, 3].map(() => opened.add({ url: receiver.url })))
    await opened.add({ url: receiver.url })
    expect(receiver.heard).toHaveLength(1)
  })

  it('is sent by the repeat, where the process that added it died before the first attempt', async () => {
    await using receiver = await startReceiver()
    await using opened = openDeliveries()
    const { clock, store } = opened
    opened.deliveries.stop()
    await opened.add({ url: receiver.url })
    expect(receiver.heard).toEqual([])
    await openDeliveries({ clock, store }).add({ url: receiver.url })
    expect(receiver.heard).toHaveLength(1)
    await openDeliveries({ clock, store }).add({ url: receiver.url })
    expect(receiver.heard).toHaveLength(1)
  })

  it('that waits for a retry is not sent by a repeat', async () => {
    await using receiver = await startReceiver((response) => response.writeHead(500).end())
    await using opened = openDeliveries()
    await opened.add({ url: receiver.url })
    await opened.add({ url: receiver.url })
    expect(receiver.heard).toHaveLength(1)
  })

  it('that fails is sent six times in all, after the waits of the schedule and not a moment sooner', async () => {
    await using receiver = await startReceiver((response) => response.writeHead(500).end('broken'))
    await using opened = openDeliveries()
    await opened.add({ url: receiver.url })
    for (const [retries, delayMs] of DELAYS_MS.entries()) {
      opened.clock.advance(delayMs - 1)
      await opened.tick()
      expect(receiver.heard).toHaveLength(retries + 1)
      opened.clock.advance(1)
      await opened.tick()
      expect(receiver.heard).toHaveLength(retries + 2)
    }
    opened.clock.advance(7 * DAY_MS)
    await opened.tick()
    expect(receiver.heard).toHaveLength(6)
    const row = await opened.row()
    expect(row).toMatchObject({ status: 'failed', attempts: { length: 6 } })
    expect(row).not.toHaveProperty('dueAt')
  })

  it('keeps its id and every byte of its body on each retry, and gets a new time', async () => {
    await using receiver = await startReceiver((response) => response.writeHead(503).end())
    await using opened = openDeliveries()
    await opened.add({ url: receiver.url })
    opened.clock.advance(30_000)
    await opened.tick()
    const [first, second] = receiver.heard
    expect(second?.body).toBe(first?.body)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(Number(second?.headers['webhook-timestamp']) - Number(first?.headers['webhook-timestamp'])).toBe(
      30,
    )
  })

  it('ends with the first 2xx', async () => {
    await using receiver = await startReceiver((response) => response.writeHead(500).end())
    await using opened = openDeliveries()
    await opened.add({ url: receiver.url })
    receiver.answer = (response) => response.writeHead(204).end()
    opened.clock.advance(30_000)
    await opened.tick()
    opened.clock.advance(DAY_MS)
    await opened.tick()
    expect(receiver.heard).toHaveLength(2)
    expect(await opened.row()).toMatchObject({
      status: 'delivered',
      attempts: [{ statusCode: 500 }, { statusCode: 204 }],
    })
  })

  it('is not tried again once the receiver says that it is gone', async () => {
    await using receiver = await startReceiver((response) => response.writeHead(410).end())
    await using opened = openDeliveries()
    await opened.add({ url: receiver.url })
    opened.clock.advance(DAY_MS)
    await opened.tick()
    expect(receiver.heard).toHaveLength(1)
    expect(await opened.row()).toMatchObject({ status: 'failed', attempts: [{ statusCode: 410 }] })
  })

  it.each([
    ['a later time in seconds', '120', 120_000],
    ['an earlier one, which shortens nothing', '5', 30_000],
    ['a date', new Date(Date.UTC(2026, 0, 1, 12, 3)).toUTCString(), 180_000],
    ['nonsense', 'soon', 30_000],
    ['a year, of which it gets a day', '31536000', DAY_MS],
  ])('waits as Retry-After asks: %s', async (_title, header, waitMs) => {
    await using receiver = await startReceiver((response) =>
      response.writeHead(429, { 'retry-after': header }).end(),
    )
    await using opened = openDeliveries()
    await opened.add({ url: receiver.url })
    opened.clock.advance(waitMs - 1)
    await opened.tick()
    expect(receiver.heard).toHaveLength(1)
    opened.clock.advance(1)
    await opened.tick()
    expect(receiver.heard).toHaveLength(2)
  })

  it('fails when the receiver redirects', async () => {
    await using receiver = await startReceiver((response) =>
      response.writeHead(307, { location: '/other' }).end(),
    )
    await using opened = openDeliveries()
    await opened.add({ url: receiver.url })
    expect(receiver.heard).toHaveLength(1)
    expect(await opened.row()).toMatchObject({ status: 'pending', attempts: [{ statusCode: 307 }] })
    expect((await opened.row())?.attempts[0]?.error).toContain('not followed')
  })

  it('fails without an answer, and says why without saying where', async () => {
    await using opened = openDeliveries()
    await opened.add({ url: 'http://127.0.0.1:9/hook' })
    expect(await opened.row()).toMatchObject({
      status: 'pending',
      attempts: [{ error: 'No response (ECONNREFUSED)' }],
    })
  })

  it('to an address that became private is refused, and nothing connects', async () => {
    await using receiver = await startReceiver()
    await using opened = openDeliveries({ outbound: createOutbound({ clock: createClock(), allow: [] }) })
    await opened.add({ url: receiver.url })
    expect(receiver.connections).toBe(0)
    expect(await opened.row()).toMatchObject({
      attempts: [{ error: expect.stringContaining('not a public address') }],
    })
  })

  it.each([
    ['two bytes', 'ä'.repeat(10_000), 'ä'.repeat(2_048)],
    ['three bytes', '漢'.repeat(10_000), '漢'.repeat(1_365)],
    ['four bytes, cut at any of them', `x${'\u{1f525}'.repeat(10_000)}`, `x${'\u{1f525}'.repeat(1_023)}`],
  ])('shows 4 kB of what the receiver answered, in whole characters of %s', async (_bytes, answer, shown) => {
    await using receiver = await startReceiver((response) => response.writeHead(200).end(answer))
    await using opened = openDeliveries()
    await opened.add({ url: receiver.url })
    expect((await opened.row())?.attempts[0]?.responseBody).toBe(shown)
  })
})

/** A delivery that is being sent, and is answered when the test says so. */
const beingSent = async () => {
  const held = heldOutbound()
  const opened = openDeliveries({ outbound: held.outbound })
  void opened.add({})
  await turns()
  return { ...opened, held }
}

describe('deliveries', () => {
  it('that are being sent are not claimed a second time', async () => {
    await using opened = await beingSent()
    opened.clock.advance(15_000)
    await opened.deliveries.sendDue()
    await turns()
    expect(opened.held.open).toHaveLength(1)
  })

  it('whose sender died are sent by another one once the lease is over', async () => {
    await using opened = await beingSent()
    const { clock, store } = opened
    const other = openDeliveries({ clock, store })
    clock.advance(MINUTE_MS - 1)
    await other.tick()
    expect(await other.row()).toMatchObject({ status: 'pending', attempts: [] })
    clock.advance(1)
    await other.tick()
    expect((await other.row())?.attempts).toHaveLength(1)
  })

  it('whose sender died before the send are sent by another one once the lease is over, and not before', async () => {
    await using receiver = await startReceiver()
    await using opened = openDeliveries()
    const { clock, store } = opened
    // What is stored is there, and nothing follows it.
    const dying = openDeliveries({
      clock,
      store: {
        ...store,
        commit: (...write) => store.commit(...write).then(() => new Promise(() => undefined)),
      },
    })
    void dying.deliveries.add({ ...sample, url: receiver.url })
    await turns()
    const other = openDeliveries({ clock, store })
    clock.advance(MINUTE_MS - 1)
    await other.add({ url: receiver.url })
    await other.tick()
    expect(receiver.heard).toEqual([])
    clock.advance(1)
    await other.tick()
    expect(receiver.heard).toHaveLength(1)
  })

  it('are not sent by one that stood still until another had sent them', async () => {
    await using receiver = await startReceiver()
    await using opened = openDeliveries()
    const { clock, store } = opened
    const other = openDeliveries({ clock, store })
    let stands = true
    const standing = openDeliveries({
      clock,
      store: {
        ...store,
        commit: async (...write) => {
          const outcome = await store.commit(...write)
          if (stands) {
            stands = false
            clock.advance(MINUTE_MS)
            await other.tick()
          }
          return outcome
        },
      },
    })
    await standing.add({ url: receiver.url })
    expect(receiver.heard).toHaveLength(1)
    expect((await other.row())?.attempts).toHaveLength(1)
  })

  it('that could not be stored take no place from others', async () => {
    const held = heldOutbound()
    await using opened = openDeliveries()
    const { clock, store } = opened
    let isDown = true
    const { deliveries } = openDeliveries({
      clock,
      outbound: held.outbound,
      store: {
        ...store,
        commit: (...write) => (isDown ? Promise.reject(new Error('down')) : store.commit(...write)),
      },
    })
    const add = (n: number) => deliveries.add({ ...sample, id: `evt_${n}` }).catch(() => undefined)
    for (let n = 0; n < 20; n += 1) await add(n)
    isDown = false
    for (let n = 0; n < 16; n += 1) await add(n)
    await turns()
    expect(held.open).toHaveLength(16)
  })

  it('heed no word of a sender whose lease was over', async () => {
    await using opened = await beingSent()
    const { clock, store, held: late } = opened
    clock.advance(MINUTE_MS)
    const next = heldOutbound()
    const other = openDeliveries({ clock, store, outbound: next.outbound })
    await other.deliveries.sendDue()
    await turns()
    late.open[0]?.fail()
    await turns()
    expect(await other.row()).toMatchObject({ status: 'pending', attempts: [] })
    next.open[0]?.answer(200)
    await turns()
    expect(await other.row()).toMatchObject({ status: 'delivered', attempts: [{ statusCode: 200 }] })
  })

  it('begin no more once they are stopped, and leave the rest to the next process', async () => {
    await using receiver = await startReceiver()
    await using opened = openDeliveries()
    opened.deliveries.stop()
    await opened.add({ url: receiver.url })
    expect(receiver.heard).toEqual([])
    const { clock, store } = opened
    await openDeliveries({ clock, store }).tick()
    expect(receiver.heard).toHaveLength(1)
  })
})
