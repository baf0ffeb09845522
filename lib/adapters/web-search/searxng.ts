import * as z from 'zod'
import type { WebSearchProvider } from '../../ports/web-search.ts'
import { type AskNeeds, createAsk, resultsIn, shortened } from './ask.ts'

// docs.searxng.org/dev/search_api.html: a GET of /search with `format=json`, which is 403 unless `search.formats` in the
// instance's settings.yml has it. It has no keys; a configured one is for a proxy before it.

const Answer = z.object({ results: resultsIn({ url: 'url', title: 'title', snippet: 'content' }) })

const MOST = { characters: 1_000 }

/** A private SearXNG. */
export const createSearxng = (needs: AskNeeds): WebSearchProvider => {
  const name = 'SearXNG'
  const ask = createAsk(needs, {
    name,
    answer: Answer,
    advice: ', or json is not among the search.formats of its settings.yml',
  })
  return {
    name,
    description: 'A metasearch engine that you run yourself; a key is for a proxy before it',
    configFields: ['baseUrl', 'apiKey'],
    required: ['baseUrl'],
    search: async (query, { baseUrl = '', apiKey }, signal) => {
      const parameters = new URLSearchParams({ q: shortened(query, MOST), format: 'json' })
      const url = `${baseUrl.replace(/\/+$/, '')}/search?${parameters}`
      const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
      return (await ask({ method: 'GET', url, headers }, signal)).results
    },
  }
}
