import * as z from 'zod'
import type { WebResult } from '../../ports/web-search.ts'

export const MOST_RESULTS = 10
const LONGEST_TITLE = 300
const LONGEST_URL = 2_000
const LONGEST_SNIPPET = 1_000

const text = z.string().nullish().catch(undefined)

/** Results whose page, title and snippet stand in those fields; what leads nowhere is left out. */
export const resultsIn = (fields: { url: string; title: string; snippet: string }) =>
  z.array(z.unknown()).transform((items) =>
    items
      .flatMap((item): WebResult[] => {
        const { success, data } = z.record(z.string(), z.unknown()).safeParse(item)
        if (!success) return []
        const [url, title, snippet] = [fields.url, fields.title, fields.snippet].map(
          (field) => text.parse(data[field]) ?? '',
        ) as [string, string, string]
        if (url.length > LONGEST_URL || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return []
        return [{ url, title: cut(title, LONGEST_TITLE) || url, snippet: cut(snippet, LONGEST_SNIPPET) }]
      })
      .slice(0, MOST_RESULTS),
  )

const cut = (long: string, most: number): string =>
  long.replaceAll(/\s+/g, ' ').trim().slice(0, most).toWellFormed()

/** A query as a provider takes it: the beginning of one that is too long. */
export const shortened = (query: string, most: { characters: number; words?: number }): string =>
  query.split(/\s+/).slice(0, most.words).join(' ').slice(0, most.characters).toWellFormed().trim()
