import * as z from 'zod'
import type { WebSearchProviders } from '../../ports/web-search.ts'
import { type AskNeeds, createProvider, MOST_RESULTS, resultsIn, shortened } from './provider.ts'

/**
 * Brave Search, by api-dashboard.search.brave.com/app/documentation/web-search: `q` has at most 400 characters and 50
 * words, `count` at most 20. `web` is absent without results. An unknown key is answered 422
 * `SUBSCRIPTION_TOKEN_INVALID`.
 */
export const createBrave = (needs: AskNeeds, baseUrl = 'https://api.search.brave.com') =>
  createProvider(needs, {
    name: 'Brave Search',
    description: 'Own index. Needs a Brave account',
    configFields: ['apiKey'],
    required: ['apiKey'],
    request: (query, { apiKey = '' }) => {
      const parameters = new URLSearchParams({
        q: shortened(query, { characters: 400, words: 50 }),
        count: String(MOST_RESULTS),
        result_filter: 'web',
        // Otherwise words of the query are in HTML tags.
        text_decorations: 'false',
      })
      const url = `${baseUrl}/res/v1/web/search?${parameters}`
      return { method: 'GET', url, headers: { 'x-subscription-token': apiKey } }
    },
    answer: z
      .object({
        web: z
          .object({ results: resultsIn({ url: 'url', title: 'title', snippet: 'description' }) })
          .nullish(),
      })
      .transform(({ web }) => web?.results ?? []),
    refusal: ({ status, body }) =>
      status === 422 && body.includes('SUBSCRIPTION_TOKEN_INVALID') ? 'key' : undefined,
  })

/** Tavily (docs.tavily.com/documentation/api-reference/endpoint/search). 432 and 433: a plan or its extension is used up. */
export const createTavily = (needs: AskNeeds, baseUrl = 'https://api.tavily.com') =>
  createProvider(needs, {
    name: 'Tavily',
    description: 'Search for agents, with longer page extracts. Needs a Tavily account',
    configFields: ['apiKey'],
    required: ['apiKey'],
    request: (query, { apiKey }) => ({
      method: 'POST',
      url: `${baseUrl}/search`,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: shortened(query, { characters: 400 }), max_results: MOST_RESULTS }),
    }),
    answer: z
      .object({ results: resultsIn({ url: 'url', title: 'title', snippet: 'content' }) })
      .transform(({ results }) => results),
    refusal: ({ status }) => (status === 432 || status === 433 ? 'quota' : undefined),
  })

/** Serper (serper.dev/playground). An account without credits is answered 400 `Not enough credits`. */
export const createSerper = (needs: AskNeeds, baseUrl = 'https://google.serper.dev') =>
  createProvider(needs, {
    name: 'Serper',
    description: 'Google results. Needs a Serper account',
    configFields: ['apiKey'],
    required: ['apiKey'],
    request: (query, { apiKey = '' }) => ({
      method: 'POST',
      url: `${baseUrl}/search`,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ q: shortened(query, { characters: 2_000 }), num: MOST_RESULTS }),
    }),
    answer: z
      .object({ organic: resultsIn({ url: 'link', title: 'title', snippet: 'snippet' }).optional() })
      .transform(({ organic = [] }) => organic),
    refusal: ({ status, body }) =>
      status === 400 && body.includes('Not enough credits') ? 'quota' : undefined,
  })

/** SearXNG (docs.searxng.org/dev/search_api.html): `format=json` is 403 unless its settings.yml has it. A key is for a proxy. */
export const createSearxng = (needs: AskNeeds) =>
  createProvider(needs, {
    name: 'SearXNG',
    description: 'Self-hosted metasearch. A key is only needed for a proxy in front of it',
    configFields: ['baseUrl', 'apiKey'],
    required: ['baseUrl'],
    request: (query, { baseUrl = '', apiKey }) => {
      const parameters = new URLSearchParams({ q: shortened(query, { characters: 1_000 }), format: 'json' })
      const url = `${baseUrl.replace(/\/+$/, '')}/search?${parameters}`
      return {
        method: 'GET',
        url,
        headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      }
    },
    answer: z
      .object({ results: resultsIn({ url: 'url', title: 'title', snippet: 'content' }) })
      .transform(({ results }) => results),
    advice: ', or json is missing in search.formats of its settings.yml',
  })

/** Every provider of web search, in the order for people. */
export const createWebSearchProviders = (needs: AskNeeds): WebSearchProviders => ({
  brave: createBrave(needs),
  tavily: createTavily(needs),
  serper: createSerper(needs),
  searxng: createSearxng(needs),
})
