import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { type Answering, startReceiver } from '../adapters/outbound-receiver.ts'
import { until } from '../fakes/until.ts'
import { openDeliveries, sample } from './opened.ts'

/** What a send may take in all, and how much of an answer is read. */
const DEADLINE_MS = 15_000
const MOST_READ = 65_536
/** What lies in buffers between the two when the reader has gone. */
const MOST_UNDERWAY = 16_777_216
/** As many as are sent to one host at once. */
const MANY = 16
const TEN_GB = 10 * 2 ** 30

let written = 0
const endless: Answering = async (response) => {
  response.writeHead(200, { 'content-length': String(TEN_GB) })
  const piece = Buffer.alloc(MOST_READ, 'x')
  for (let sent = 0; sent < TEN_GB && !response.destroyed; sent += piece.length) {
    written = sent
    if (!response.write(piece)) await sleep(1)
  }
}

const drip: Answering = (response) => {
  response.writeHead(200)
  const dripping = setInterval(() => response.write('x'), 200)
  response.once('close', () => clearInterval(dripping))
}

const NO_ANSWER = { error: expect.any(String), durationMs: 0 }
const TOO_LATE = { error: 'The response did not end within 15 seconds', durationMs: DEADLINE_MS }
const BAD: Record<string, { answer: Answering; attempt: object; status: string }> = {
  hangs: { answer: () => undefined, attempt: TOO_LATE, status: 'pending' },
  drips: { answer: drip, attempt: TOO_LATE, status: 'pending' },
  'answers 10 GB': { answer: endless, attempt: { statusCode: 200 }, status: 'delivered' },
  redirects: {
    answer: (response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    attempt: { statusCode: 302, error: expect.stringContaining('not followed') },
    status: 'pending',
  },
  resets: { answer: (response) => response.destroy(), attempt: NO_ANSWER, status: 'pending' },
  'is gone (410)': {
    answer: (response) => response.writeHead(410).end(),
    attempt: { statusCode: 410 },
    status: 'failed',
  },
  'asks for a pause (429)': {
    answer: (response) => response.writeHead(429, { 'retry-after': '3600' }).end(),
    attempt: { statusCode: 429 },
    status: 'pending',
  },
}

type Opened = ReturnType<typeof openDeliveries>

/** Begins so many deliveries to each. */
const addMany = async ({ deliveries }: Opened, receivers: readonly { url: string }[]) => {
  for (const [n, { url }] of receivers.entries())
    for (let at = 0; at < MANY; at += 1) await deliveries.add({ ...sample, id: `evt_${n}_${at}`, url })
}

const untilTried = async ({ row }: Opened, id: string) => {
  while (((await row(id))?.attempts.length ?? 0) === 0) await sleep(20)
}

/** How the first delivery to each stands. */
const standings = ({ row }: Opened) =>
  Promise.all(
    Object.keys(BAD).map(async (name, n) => {
      const { status, attempts } = (await row(`evt_${n}_0`)) ?? {}
      return [name, { status, attempts }]
    }),
  )

const HUNG = ['hangs', 'drips']

describe('deliveries to receivers that misbehave, all at the same time', () => {
  it('end within 15 seconds each, as they should, and do not delay one to a healthy receiver', async () => {
    await using opened = openDeliveries()
    const { deliveries, clock } = opened
    const receivers = await Promise.all(Object.values(BAD).map(({ answer }) => startReceiver(answer)))
    await using healthy = await startReceiver()
    await addMany(opened, receivers)
    await deliveries.add({ ...sample, id: 'evt_healthy', url: healthy.url })
    await untilTried(opened, 'evt_healthy')
    expect(await opened.row('evt_healthy')).toMatchObject({ status: 'delivered' })
    for (const [n, name] of Object.keys(BAD).entries())
      if (!HUNG.includes(name))
        for (let at = 0; at < MANY; at += 1) await untilTried(opened, `evt_${n}_${at}`)
    await until(() => receivers.every(({ heard }) => heard.length === MANY))
    // Those that hang are being sent as yet, so nothing waited for them.
    for (const n of HUNG.keys())
      expect(await opened.row(`evt_${n}_0`)).toMatchObject({ status: 'pending', attempts: [] })

    deliveries.stop()
    clock.advance(DEADLINE_MS - 1)
    clock.advance(1)
    await deliveries.settled()
    const expected = Object.entries(BAD).map(([name, { status, attempt }]) => [
      name,
      { status, attempts: [expect.objectContaining(attempt)] },
    ])
    expect(await standings(opened)).toEqual(expected)
    expect(written).toBeLessThan(MOST_UNDERWAY)
    for (const receiver of receivers) await receiver[Symbol.asyncDispose]()
  })
})
