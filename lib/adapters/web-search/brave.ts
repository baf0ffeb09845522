import * as z from 'zod'
import type { WebSearchProvider } from '../../ports/web-search.ts'
import { type AskNeeds, createAsk, MOST_RESULTS, resultsIn, shortened } from './ask.ts'

// api-dashboard.search.brave.com/app/documentation/web-search: a GET with X-Subscription-Token; `q` has at most 400
// characters and 50 words, `count` at most 20. `web` is absent without results.

const results = resultsIn({ url: 'url', title: 'title', snippet: 'description' })
const Answer = z.object({ web: z.object({ results }).nullish() })

const MOST = { characters: 400, words: 50 }

/** Brave Search. An unknown key is answered 422 `SUBSCRIPTION_TOKEN_INVALID`. */
export const createBrave = (needs: AskNeeds, baseUrl = 'https://api.search.brave.com'): WebSearchProvider => {
  const name = 'Brave Search'
  const ask = createAsk(needs, {
    name,
    answer: Answer,
    refusalOf: ({ status, body }) =>
      status === 422 && body.includes('SUBSCRIPTION_TOKEN_INVALID') ? 'key' : undefined,
  })
  return {
    name,
    description: 'An index of its own; an account with Brave is needed',
    configFields: ['apiKey'],
    required: ['apiKey'],
    search: async (query, { apiKey = '' }, signal) => {
      const url = new URL('/res/v1/web/search', baseUrl)
      url.search = new URLSearchParams({
        q: shortened(query, MOST),
        count: String(MOST_RESULTS),
        result_filter: 'web',
        // Otherwise words of the query are in HTML tags.
        text_decorations: 'false',
      }).toString()
      const headers = { 'x-subscription-token': apiKey }
      const { web } = await ask({ method: 'GET', url: url.href, headers }, signal)
      return web?.results ?? []
    },
  }
}
