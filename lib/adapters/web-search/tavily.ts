import * as z from 'zod'
import type { WebSearchProvider } from '../../ports/web-search.ts'
import { type AskNeeds, createAsk, MOST_RESULTS, resultsIn, shortened } from './ask.ts'

// docs.tavily.com/documentation/api-reference/endpoint/search: a POST of JSON with a Bearer token; a query has at most 400
// characters.

const Answer = z.object({ results: resultsIn({ url: 'url', title: 'title', snippet: 'content' }) })

const MOST = { characters: 400 }

/** Tavily. 432 and 433 mean that a plan, or its paid extension, is used up. */
export const createTavily = (needs: AskNeeds, baseUrl = 'https://api.tavily.com'): WebSearchProvider => {
  const name = 'Tavily'
  const ask = createAsk(needs, {
    name,
    answer: Answer,
    refusalOf: ({ status }) => (status === 432 || status === 433 ? 'quota' : undefined),
  })
  return {
    name,
    description: 'Search for agents, with longer extracts of pages; an account with Tavily is needed',
    configFields: ['apiKey'],
    required: ['apiKey'],
    search: async (query, { apiKey }, signal) => {
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ query: shortened(query, MOST), max_results: MOST_RESULTS })
      const url = new URL('/search', baseUrl).href
      return (await ask({ method: 'POST', url, headers, body }, signal)).results
    },
  }
}
