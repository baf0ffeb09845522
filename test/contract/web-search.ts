import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createOutbound } from '../../lib/adapters/node/outbound.ts'
import type { Clock } from '../../lib/ports/clock.ts'
import type { Outbound } from '../../lib/ports/outbound.ts'
import type { WebSearchProvider } from '../../lib/ports/web-search.ts'
import { type Answering, type Receiver, startReceiver } from '../adapters/outbound-receiver.ts'

export const KEY = 'CANARY-key-of-search'
const PAGE = { url: 'https://example.com/a', title: 'First', snippet: 'About the first' }
const NEXT = { url: 'http://example.org/b?c=d', title: 'Second', snippet: 'About the second' }

type Found = typeof PAGE
/** How a provider of searches speaks. */
export type WebSearchDialect = {
  open: (needs: { outbound: Outbound; clock: Pick<Clock, 'now'> }, baseUrl: string) => WebSearchProvider
  /** The answer as the provider writes it, around more that is not read. */
  answer: (found: readonly Found[]) => object
  asked: { path: RegExp; headers: object; body?: object }
  empty: object
  refusals: readonly (readonly [status: number, body: string, code: string])[]
}

export const KEY_REFUSED = 'web_search_key_refused'
export const LIMITED = 'web_search_rate_limited'
export const FAILED = 'web_search_failed'

export const says =
  (body: unknown, status = 200, headers = {}): Answering =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

const clock = { ...createClock(), now: () => Date.UTC(2026, 0, 1) }
const outbound = createOutbound({ clock, allow: ['127.0.0.1'] })

/** Searches with the receiver as the provider. */
export const searchAt = (
  far: Receiver,
  { open }: Pick<WebSearchDialect, 'open'>,
  query = 'jest esm',
  signal = new AbortController().signal,
) => {
  const origin = far.url.replace('/hook', '')
  return open({ outbound, clock }, origin).search(query, { apiKey: KEY, baseUrl: `${origin}/searx/` }, signal)
}

/** What is thrown, with everything of it that could be written anywhere. */
const thrownBy = (work: Promise<unknown>) =>
  work.then(
    () => ({ code: 'nothing was thrown', retryAfterMs: undefined }),
    (thrown) => ({ ...thrown, message: thrown.message, stack: thrown.stack, cause: String(thrown.cause) }),
  )

/** What every provider of searches must do. */
export const webSearchContract = (name: string, provider: WebSearchDialect) =>
  describe(`web search by ${name}`, () => {
    let far: Receiver
    beforeAll(async () => {
      far = await startReceiver()
    })
    afterAll(() => far[Symbol.asyncDispose]())
    beforeEach(() => void far.heard.splice(0))

    const search = (query?: string, signal?: AbortSignal) => searchAt(far, provider, query, signal)

    it('is asked in its own words, and its pages are found in its answer', async () => {
      far.answer = says(provider.answer([PAGE, NEXT]))
      expect(await search()).toEqual([PAGE, NEXT])
      const [{ path, headers, body } = { path: '', headers: {}, body: '' }] = far.heard
      expect(path).toMatch(provider.asked.path)
      expect(headers).toMatchObject(provider.asked.headers)
      expect(body === '' ? undefined : JSON.parse(body)).toEqual(provider.asked.body)
    })

    it('finds nothing where its answer has nothing', async () => {
      far.answer = says(provider.empty)
      expect(await search()).toEqual([])
    })

    it('hands on ten pages at most, cut to what is read, and none that leads nowhere', async () => {
      const long = { ...PAGE, title: ' a \n'.repeat(1_000), snippet: 'x\ud83d\udd25'.repeat(2_000) }
      const bad = ['javascript:alert(1)', 'file:///etc/passwd', '', `https://x.org/${'a'.repeat(3_000)}`]
      const found = [...bad.map((url) => ({ ...PAGE, url })), long, ...Array(20).fill(NEXT)]
      const answer = provider.answer(found)
      far.answer = says(JSON.stringify(answer).replace('[{', '[null, 7, {"url": 7}, {'))
      const [first, ...rest] = await search()
      expect(rest).toEqual(Array(9).fill(NEXT))
      expect([first?.title.length, first?.snippet.length]).toEqual([300, 1_000])
      expect(first?.snippet.isWellFormed()).toBe(true)
    })

    it.each(
      [
        ...provider.refusals,
        [401, '{}', KEY_REFUSED] as const,
        [429, 'slow down', LIMITED] as const,
        [302, '', FAILED] as const,
        [500, KEY, FAILED] as const,
        [503, '<html>', FAILED] as const,
        [200, 'not JSON', FAILED] as const,
        [200, '[]', FAILED] as const,
        [200, `{"pad": "${'x'.repeat(1_100_000)}"}`, FAILED] as const,
      ].map(([status, body, code]) => [status, body.slice(0, 60), code, body] as const),
    )('that answers %i %s is %s', async (status, _beginning, code, body) => {
      far.answer = says(body, status, { location: '/elsewhere', 'retry-after': '7' })
      const thrown = await thrownBy(search())
      expect(thrown).toMatchObject({ code, ...(code === LIMITED ? { retryAfterMs: 7_000 } : {}) })
      expect(JSON.stringify(thrown)).not.toContain(KEY)
      expect(far.heard).toHaveLength(1)
    })

    it('says how long to wait, also where the provider gives a date or no time', async () => {
      const waits: unknown[] = []
      for (const header of ['Thu, 01 Jan 2026 00:00:09 GMT', 'soon']) {
        far.answer = says('{}', 429, { 'retry-after': header })
        waits.push((await thrownBy(search())).retryAfterMs)
      }
      expect(waits).toEqual([9_000, 60_000])
    })

    it('is let go when its signal aborts', async () => {
      const stop = new AbortController()
      const reason = new Error('enough')
      far.answer = (response) => {
        response.writeHead(200).write('{')
        response.once('close', () => closed.resolve())
        setImmediate(() => stop.abort(reason))
      }
      const closed = Promise.withResolvers<void>()
      await expect(search('jest esm', stop.signal)).rejects.toBe(reason)
      await closed.promise
      await expect(search('jest esm', stop.signal)).rejects.toBe(reason)
      expect(far.heard).toHaveLength(1)
    })
  })
