import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createOutbound } from '../../lib/adapters/node/outbound.ts'
import {
  createBrave,
  createSearxng,
  createSerper,
  createTavily,
} from '../../lib/adapters/web-search/catalog.ts'
import type { WebSearchProviderId } from '../../lib/ports/web-search.ts'
import { type Receiver, startReceiver } from '../adapters/outbound-receiver.ts'
import {
  FAILED,
  KEY,
  KEY_REFUSED,
  LIMITED,
  says,
  searchAt,
  type WebSearchDialect,
  webSearchContract,
} from './web-search.ts'

const dialects: Readonly<Record<WebSearchProviderId, WebSearchDialect>> = {
  brave: {
    open: createBrave,
    answer: (found) => ({
      type: 'search',
      query: { original: 'jest esm', more_results_available: true },
      mixed: { type: 'mixed', main: [{ type: 'web', index: 0, all: false }] },
      web: {
        type: 'search',
        results: found.map(({ url, title, snippet }) => ({
          title,
          url,
          description: snippet,
          is_source_local: false,
          language: 'en',
          profile: { name: 'Example', url },
          meta_url: { hostname: 'example.com' },
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
      query: 'jest esm',
      follow_up_questions: null,
      answer: null,
      images: [],
      results: found.map(({ snippet, ...rest }) => ({
        ...rest,
        content: snippet,
        score: 0.9,
        raw_content: null,
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
      query: 'jest esm',
      number_of_results: 0,
      results: found.map(({ snippet, ...rest }) => ({ ...rest, content: snippet, engine: 'bing' })),
      answers: [],
      corrections: [],
      infoboxes: [],
      suggestions: [],
      unresponsive_engines: [],
    }),
    asked: {
      path: /^\/searx\/search\?q=jest\+esm&format=json$/,
      headers: { authorization: `Bearer ${KEY}` },
    },
    empty: { query: 'jest esm', results: [] },
    refusals: [[403, '<html>Forbidden</html>', KEY_REFUSED]],
  },
}

for (const [name, dialect] of Object.entries(dialects)) webSearchContract(name, dialect)

let far: Receiver
beforeAll(async () => {
  far = await startReceiver()
})
afterAll(() => far[Symbol.asyncDispose]())

it.each([
  ['brave', 'word '.repeat(80), 50 * 5 - 1],
  ['brave', 'x'.repeat(900), 400],
  ['tavily', `${'x'.repeat(399)}\ud83d\udd25`, 399],
] as const)('a query that is too long for %s is cut after a whole character', async (id, query, length) => {
  far.answer = says(dialects[id].empty)
  await searchAt(far, dialects[id], query)
  const [{ path, body } = { path: '', body: '' }] = far.heard.splice(0)
  const sent = new URL(path, 'http://x').searchParams.get('q') ?? JSON.parse(body).query
  expect(sent).toHaveLength(length)
})

it('a SearXNG at a private address is reached only where an operator allows it', async () => {
  const clock = createClock()
  const closed = createOutbound({ clock, allow: [] })
  const provider = createSearxng({ outbound: closed, clock })
  const asked = provider.search('x', { baseUrl: far.url }, new AbortController().signal)
  await expect(asked).rejects.toMatchObject({ code: 'url_refused' })
  expect(far.heard).toEqual([])
})
