import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createOutbound } from '../../lib/adapters/node/outbound.ts'
import { createBrave } from '../../lib/adapters/web-search/brave.ts'
import { createSearxng } from '../../lib/adapters/web-search/searxng.ts'
import { createSerper } from '../../lib/adapters/web-search/serper.ts'
import { createTavily } from '../../lib/adapters/web-search/tavily.ts'
import type { WebSearchProvider } from '../../lib/ports/web-search.ts'
import { type Answering, type Receiver, startReceiver } from '../adapters/outbound-receiver.ts'

const KEY = 'CANARY-key-of-search'
const PAGE = { url: 'https://example.com/a', title: 'First', snippet: 'About the first' }
const NEXT = { url: 'http://example.org/b?c=d', title: 'Second', snippet: 'About the second' }

type Found = typeof PAGE
type Case = {
  open: (needs: Parameters<typeof createBrave>[0], baseUrl: string) => WebSearchProvider
  /** The answer as the provider writes it, around more that is not read. */
  answer: (found: readonly Found[]) => object
  asked: { path: RegExp; headers: object; body?: object }
  empty: object
  refusals: readonly (readonly [status: number, body: string, code: string])[]
}

const KEY_REFUSED = 'web_search_key_refused'
const LIMITED = 'web_search_rate_limited'
const FAILED = 'web_search_failed'

const cases: Readonly<Record<string, Case>> = {
  brave: {
    open: createBrave,
    answer: (found) => ({
      type: 'search',
      query: { original: 'jest esm', more_results_available: true },
      mixed: { type: 'mixed', main: [{ type: 'web', index: 0, all: false }] },
      web: {
        type: 'search',
        results: found.map(({ url, title, snippet }) => ({
          ...{ title, url, description: snippet, is_source_local: false, language: 'en' },
          ...{ profile: { name: 'Example', url }, meta_url: { hostname: 'example.com' } },
        })),
      },
    }),
    asked: {
      path: /^\/res\/v1\/web\/search\?q=jest\+esm&count=10&/,
      headers: { 'x-subscription-token': KEY },
    },
    empty: { type: 'search', query: { original: 'jest esm' } },
    refusals: [
      [
        422,
        '{"type":"ErrorResponse","error":{"status":422,"code":"SUBSCRIPTION_TOKEN_INVALID"}}',
        KEY_REFUSED,
      ],
      [422, '{"type":"ErrorResponse","error":{"status":422,"code":"VALIDATION"}}', FAILED],
      [429, '{"type":"ErrorResponse","error":{"status":429,"code":"RATE_LIMITED"}}', LIMITED],
    ],
  },
  tavily: {
    open: createTavily,
    answer: (found) => ({
      ...{ query: 'jest esm', follow_up_questions: null, answer: null, images: [] },
      results: found.map(({ snippet, ...rest }) => ({
        ...rest,
        ...{ content: snippet, score: 0.9, raw_content: null },
      })),
      response_time: 1.2,
    }),
    asked: {
      path: /^\/search$/,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: { query: 'jest esm', max_results: 10 },
    },
    empty: { query: 'jest esm', results: [] },
    refusals: [
      [401, '{"detail":{"error":"Unauthorized: missing or invalid API key."}}', KEY_REFUSED],
      [432, '{"detail":{"error":"This request exceeds your plan\'s set usage limit."}}', LIMITED],
      [433, '{"detail":{"error":"This request exceeds the pay-as-you-go limit."}}', LIMITED],
    ],
  },
  serper: {
    open: createSerper,
    answer: (found) => ({
      searchParameters: { q: 'jest esm', type: 'search', engine: 'google' },
      organic: found.map(({ url, ...rest }, at) => ({ ...rest, link: url, position: at + 1 })),
      credits: 1,
    }),
    asked: {
      path: /^\/search$/,
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      body: { q: 'jest esm', num: 10 },
    },
    empty: { searchParameters: { q: 'jest esm' } },
    refusals: [
      [403, '{"message":"Unauthorized.","statusCode":403}', KEY_REFUSED],
      [400, '{"message":"Not enough credits","statusCode":400}', LIMITED],
      [400, '{"message":"Missing query parameter","statusCode":400}', FAILED],
    ],
  },
  searxng: {
    open: createSearxng,
    answer: (found) => ({
      ...{ query: 'jest esm', number_of_results: 0 },
      results: found.map(({ snippet, ...rest }) => ({ ...rest, content: snippet, engine: 'bing' })),
      ...{ answers: [], corrections: [], infoboxes: [], suggestions: [], unresponsive_engines: [] },
    }),
    asked: {
      path: /^\/searx\/search\?q=jest\+esm&format=json$/,
      headers: { authorization: `Bearer ${KEY}` },
    },
    empty: { query: 'jest esm', results: [] },
    refusals: [[403, '<html>Forbidden</html>', KEY_REFUSED]],
  },
}
const each = Object.entries(cases)

const says =
  (body: unknown, status = 200, headers = {}): Answering =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

let far: Receiver
beforeAll(async () => {
  far = await startReceiver()
})
afterAll(() => far[Symbol.asyncDispose]())
beforeEach(() => void far.heard.splice(0))

const clock = { ...createClock(), now: () => Date.UTC(2026, 0, 1) }
const outbound = createOutbound({ clock, allow: ['127.0.0.1'] })
const search = ({ open }: Case, query = 'jest esm', signal = new AbortController().signal) => {
  const origin = far.url.replace('/hook', '')
  return open({ outbound, clock }, origin).search(query, { apiKey: KEY, baseUrl: `${origin}/searx/` }, signal)
}
/** What is thrown, with everything of it that could be written anywhere. */
const thrownBy = (work: Promise<unknown>) =>
  work.then(
    () => ({ code: 'nothing was thrown', retryAfterMs: undefined }),
    (thrown) => ({ ...thrown, message: thrown.message, stack: thrown.stack, cause: String(thrown.cause) }),
  )

describe.each(each)('%s', (_id, provider) => {
  it('is asked in its own words, and its pages are found in its answer', async () => {
    far.answer = says(provider.answer([PAGE, NEXT]))
    expect(await search(provider)).toEqual([PAGE, NEXT])
    const [{ path, headers, body } = { path: '', headers: {}, body: '' }] = far.heard
    expect(path).toMatch(provider.asked.path)
    expect(headers).toMatchObject(provider.asked.headers)
    expect(body === '' ? undefined : JSON.parse(body)).toEqual(provider.asked.body)
  })

  it('finds nothing where its answer has nothing', async () => {
    far.answer = says(provider.empty)
    expect(await search(provider)).toEqual([])
  })

  it('hands on ten pages at most, cut to what is read, and none that leads nowhere', async () => {
    const long = { ...PAGE, title: ' a \n'.repeat(1_000), snippet: 'x\ud83d\udd25'.repeat(2_000) }
    const bad = ['javascript:alert(1)', 'file:///etc/passwd', '', `https://x.org/${'a'.repeat(3_000)}`]
    const found = [...bad.map((url) => ({ ...PAGE, url })), long, ...Array(20).fill(NEXT)]
    const answer = provider.answer(found)
    far.answer = says(JSON.stringify(answer).replace('[{', '[null, 7, {"url": 7}, {'))
    const [first, ...rest] = await search(provider)
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
    const thrown = await thrownBy(search(provider))
    expect(thrown).toMatchObject({ code, ...(code === LIMITED ? { retryAfterMs: 7_000 } : {}) })
    expect(JSON.stringify(thrown)).not.toContain(KEY)
    expect(far.heard).toHaveLength(1)
  })

  it('says how long to wait, also where it is told a date or nothing', async () => {
    const waits: unknown[] = []
    for (const header of ['Thu, 01 Jan 2026 00:00:09 GMT', 'soon']) {
      far.answer = says('{}', 429, { 'retry-after': header })
      waits.push((await thrownBy(search(provider))).retryAfterMs)
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
    await expect(search(provider, 'jest esm', stop.signal)).rejects.toBe(reason)
    await closed.promise
    await expect(search(provider, 'jest esm', stop.signal)).rejects.toBe(reason)
    expect(far.heard).toHaveLength(1)
  })
})

it.each([
  ['brave', 'word '.repeat(80), 50 * 5 - 1],
  ['brave', 'x'.repeat(900), 400],
  ['tavily', `${'x'.repeat(399)}\ud83d\udd25`, 400],
] as const)('a query that is too long for %s is cut', async (id, query, length) => {
  const provider = cases[id] as Case
  far.answer = says(provider.empty)
  await search(provider, query)
  const [{ path, body } = { path: '', body: '' }] = far.heard
  const sent = new URL(path, 'http://x').searchParams.get('q') ?? JSON.parse(body).query
  expect(sent).toHaveLength(length)
})

it('a SearXNG at a private address is reached only where an operator allows it', async () => {
  const clock = createClock()
  const provider = createSearxng({ outbound: createOutbound({ clock, allow: [] }), clock })
  const asked = provider.search('x', { baseUrl: far.url }, new AbortController().signal)
  await expect(asked).rejects.toMatchObject({ code: 'url_refused' })
  expect(far.heard).toEqual([])
})
