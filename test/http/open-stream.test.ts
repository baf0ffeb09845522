import { describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import type { Collection } from '../../lib/core/collection.ts'
import { createOpenStream } from '../../lib/http/event-stream.ts'
import { lambda } from '../../lib/http/lambda.ts'
import { defineRoutes } from '../../lib/http/route.ts'
import { createSharedStreams, openStreams } from '../../lib/limits/streams.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { openGuard, proxies } from '../fakes/guard.ts'
import { httpEvent } from '../fakes/http-event.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { createFakeLog } from '../fakes/log.ts'
import { ANN } from '../fakes/service.ts'

async function* onePiece() {
  yield 'piece'
}

describe('the place of a stream', () => {
  it.each([
    ['before the stream began', (leaving: AbortController) => leaving.abort(), () => undefined],
    ['while the stream began', () => undefined, (leaving: AbortController) => leaving.abort()],
  ])('is free when its reader left %s', async (_when, before, meanwhile) => {
    let open = 0
    const places = async () => {
      open += 1
      const free = async () => {
        open -= 1
      }
      return { free, replaced: new AbortController().signal }
    }
    const openStream = createOpenStream({ clock: createFakeClock(), openStreams: places })
    const leaving = new AbortController()
    before(leaving)
    await openStream({ principal: ANN, gone: () => leaving.signal }, async () => {
      meanwhile(leaving)
      return onePiece()
    })
    expect(open).toBe(0)
  })
})

describe('a page that is loaded again and again by functions, which do not learn that it left', () => {
  const MOST = 20
  /** A stream finds out within this time that it was replaced. */
  const LOOK_MS = 2_000
  const clock = createFakeClock()
  const store = openSqliteStore({
    file: ':memory:',
    clock,
    collections: [openStreams] as unknown as readonly Collection[],
  })
  const { after } = createClock()
  // The waits of a function that lost a race pass while the looks wait for the fake clock.
  const waits = (delayMs: number, call: () => void) =>
    delayMs === LOOK_MS ? clock.after(delayMs, call) : after(delayMs, call)
  const needs = {
    store,
    entropy,
    ids: createFakeIds(clock),
    log: createFakeLog(),
    clock: { ...clock, after: waits },
  }
  const routes = defineRoutes({
    follow: { method: 'GET', path: '/api/stream', summary: '', access: 'session', response: z.unknown() },
  })
  /** A function of its own for each request; its host has no `gone`. */
  const load = async () => {
    const places = createSharedStreams(needs, { most: MOST, longestMs: 900_000 })
    const openStream = createOpenStream({ clock, openStreams: places })
    const follow = (reader: AbortSignal) => ({
      async *[Symbol.asyncIterator]() {
        yield 'data: 1\n\n'
        if (reader.aborted) return
        await new Promise<void>((resolve) => reader.addEventListener('abort', () => resolve()))
      },
    })
    const handler = lambda(
      {
        guard: openGuard,
        holds: async () => true,
        proxies,
        record: () => undefined,
        clock,
        log: createFakeLog(),
      },
      routes,
      { follow: (_input, call) => openStream(call, async (reader) => follow(reader), { isResumable: true }) },
    )
    const { statusCode, body } = await handler(httpEvent('GET /api/stream'), {})
    return { statusCode, pieces: (body as AsyncIterable<string>)[Symbol.asyncIterator]() }
  }

  it('is refused no stream: the oldest one ends with an event, and the newest ones stay', async () => {
    const loaded = []
    for (let n = 0; n < MOST + 5; n += 1) {
      const stream = await load()
      expect(stream.statusCode).toBe(200)
      await stream.pieces.next()
      loaded.push(stream)
    }
    const nexts = loaded.map(({ pieces }) => pieces.next())
    clock.advance(LOOK_MS)
    for (const next of nexts.slice(0, 5)) {
      const { value } = await next
      expect(value).toMatch(/^retry: 30000\ndata: \{"type":"replaced"/)
    }
    for (const { pieces } of loaded.slice(0, 5)) expect(await pieces.next()).toMatchObject({ done: true })
    // The places of those that ended are free again, so that as many may be replaced.
    for (let n = 0; n < MOST; n += 1) expect((await load()).statusCode).toBe(200)
    expect((await store.get(openStreams, 'local'))?.streams).toHaveLength(2 * MOST)
  })
})
