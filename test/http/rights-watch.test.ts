import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { eventStream, eventText } from '../../lib/http/event-stream.ts'
import { lambda } from '../../lib/http/lambda.ts'
import { defineRoutes, type Handlers, Reply } from '../../lib/http/route.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { openGuard, proxies } from '../fakes/guard.ts'
import { httpEvent } from '../fakes/http-event.ts'
import { createFakeLog } from '../fakes/log.ts'
import { turns } from '../fakes/service.ts'

const route = (path: string) =>
  ({ method: 'GET', path, summary: '', access: 'session', response: z.unknown() }) as const
const routes = defineRoutes({
  deafEvents: route('/api/deaf'),
  lastWords: route('/api/last-words'),
  pieces: route('/api/pieces'),
  wait: route('/api/wait'),
  brief: route('/api/brief'),
})

const whenAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
async function* forever(first: string) {
  yield first
  await new Promise(() => undefined)
}

const clock = createFakeClock()
const handlers: Handlers<typeof routes> = {
  deafEvents: () => eventStream(clock, forever('data: 1\n\n')),
  lastWords: (_input, { gone }) => {
    const signal = gone()
    const events = async function* () {
      yield 'data: 1\n\n'
      await whenAborted(signal)
      yield eventText({ code: signal.reason.code })
    }
    return eventStream(clock, events())
  },
  pieces: () => new Reply({ raw: forever('["one"') }),
  wait: async (_input, { gone }) => {
    await whenAborted(gone())
    return { answer: 'a secret' }
  },
  brief: () => ({ answer: 'at once' }),
}

describe('a request that is open when the rights of its caller end', () => {
  let mayCall: boolean
  let isReadable: boolean
  const log = createFakeLog()
  beforeEach(() => {
    mayCall = true
    isReadable = true
    log.entries.length = 0
  })
  afterEach(async () => {
    // A stream whose events never come is left at its next heartbeat.
    await pass(15_000)
    // A timer that is left over reads storage for ever.
    expect(clock.pending).toBe(0)
  })

  const holds = async () => {
    if (!isReadable) throw new Error('storage is away')
    return mayCall
  }
  const handle = lambda(
    { guard: openGuard, holds, proxies, record: () => undefined, clock, log },
    routes,
    handlers,
  )
  const ask = (path: string, method = 'GET') => handle(httpEvent(`${method} ${path}`), {})
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500)
      await turns()
    }
  }
  /** The text of an answer in pieces, and how it ended. */
  const read = ({ body }: Awaited<ReturnType<typeof ask>>) => {
    const said = { text: '', end: 'none' }
    const reading = async () => {
      try {
        for await (const piece of body as AsyncIterable<string>) said.text += piece
        said.end = 'ended'
      } catch (thrown) {
        said.end = (thrown as { code: string }).code
      }
    }
    void reading()
    return said
  }

  it.each([
    [
      '/api/deaf',
      'events end, also when their handler does not listen',
      { text: 'data: 1\n\n', end: 'ended' },
    ],
    [
      '/api/last-words',
      'events end with the reason where their handler says it',
      { text: 'data: 1\n\ndata: {"code":"rights_ended"}\n\n', end: 'ended' },
    ],
    ['/api/pieces', 'any other text breaks off', { text: '["one"', end: 'rights_ended' }],
  ])('%s: %s within five seconds', async (path, _what, expected) => {
    const said = read(await ask(path))
    await pass(12_000)
    expect(said.end).toBe('none')
    mayCall = false
    await pass(4_500)
    expect(said).toEqual(expected)
  })

  it('that waits is answered 401 in place of what it waited for', async () => {
    const answering = ask('/api/wait')
    await pass(2_500)
    mayCall = false
    await pass(2_500)
    const { statusCode, body } = await answering
    expect([statusCode, JSON.parse(String(body))]).toMatchObject([401, { code: 'rights_ended' }])
  })

  it('goes on while they cannot be read', async () => {
    const said = read(await ask('/api/deaf'))
    isReadable = false
    await pass(6_000)
    expect(said.end).toBe('none')
    expect(log.entries.filter(({ level }) => level === 'warn')).toHaveLength(3)
    isReadable = true
    mayCall = false
    await pass(4_500)
    expect(said.end).toBe('ended')
  })

  it.each([
    ['GET', '/api/brief'],
    ['HEAD', '/api/deaf'],
  ])('is watched no longer than it is open: %s %s', async (method, path) => {
    const { statusCode } = await ask(path, method)
    expect(statusCode).toBe(200)
  })

  it('is watched no longer when its caller left before its answer began', async () => {
    const { statusCode } = await handle(httpEvent('GET /api/deaf'), { gone: () => AbortSignal.abort() })
    expect(statusCode).toBe(200)
  })
})
