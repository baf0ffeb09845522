import * as z from 'zod'
import { Problem } from '../../core/errors.ts'
import { defineTool } from '../tool.ts'

type WebResult = { title: string; url: string; snippet: string }

/** Searches the web; the best result first. Throws Problem `unsupported` `web_search_not_configured`. */
export type SearchWeb = (query: string, signal: AbortSignal) => Promise<readonly WebResult[]>

/** Until an integration provides a search. */
export const withoutWebSearch: SearchWeb = async () => {
  throw new Problem(
    'unsupported',
    'web_search_not_configured',
    'Web search is not configured in this installation. Go on without it.',
  )
}

const MOST_RESULTS = 10
const MOST_CHARACTERS = 1_000

export const createWebSearch = (search: SearchWeb) =>
  defineTool({
    name: 'web_search',
    description: 'Search the web. Answers titles, addresses and snippets; read a page with web_fetch.',
    input: z.object({ query: z.string().trim().min(1).max(1_000) }),
    risk: 'network',
    subject: ({ query }) => JSON.stringify(query),
    async run({ query }, { signal }) {
      const found = await search(query, signal)
      if (found.length === 0) return { content: 'Nothing found.' }
      return { content: found.slice(0, MOST_RESULTS).map(shown).join('\n\n') }
    },
  })

const shown = ({ title, url, snippet }: WebResult) => `${title}\n${url}\n${snippet.slice(0, MOST_CHARACTERS)}`
