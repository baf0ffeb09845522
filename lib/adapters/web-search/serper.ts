import * as z from 'zod'
import type { WebSearchProvider } from '../../ports/web-search.ts'
import { type AskNeeds, createAsk, MOST_RESULTS, resultsIn, shortened } from './ask.ts'

// serper.dev/playground: a POST of JSON with X-API-KEY; Google's results are `organic`, absent without results.

const results = resultsIn({ url: 'link', title: 'title', snippet: 'snippet' })
const Answer = z.object({ organic: results.optional() })

const MOST = { characters: 2_000 }

/** Serper. An account without credits is answered 400 `Not enough credits`. */
export const createSerper = (needs: AskNeeds, baseUrl = 'https://google.serper.dev'): WebSearchProvider => {
  const name = 'Serper'
  const ask = createAsk(needs, {
    name,
    answer: Answer,
    refusalOf: ({ status, body }) =>
      status === 400 && body.includes('Not enough credits') ? 'quota' : undefined,
  })
  return {
    name,
    description: 'Results of Google; an account with Serper is needed',
    configFields: ['apiKey'],
    required: ['apiKey'],
    search: async (query, { apiKey = '' }, signal) => {
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
      const body = JSON.stringify({ q: shortened(query, MOST), num: MOST_RESULTS })
      const url = new URL('/search', baseUrl).href
      return (await ask({ method: 'POST', url, headers, body }, signal)).organic ?? []
    },
  }
}
