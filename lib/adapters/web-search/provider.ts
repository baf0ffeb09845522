import * as z from 'zod'
import { cutText } from '../../core/cut-text.ts'
import { Problem } from '../../core/errors.ts'
import { retryAfterMs } from '../../core/retry-after.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../ports/outbound.ts'
import type { WebResult, WebSearchProvider } from '../../ports/web-search.ts'

const TIMEOUT_MS = 15_000
const MOST_BYTES = 1_048_576
/** The wait when a provider's rate limit gives none, and the longest wait that is passed on. */
const USUAL_WAIT_MS = 60_000
const LONGEST_WAIT_MS = 3_600_000

type Refusal = 'key' | 'quota'

/** How one provider is asked, and the meaning of its refusals beyond HTTP. */
type Dialect = Omit<WebSearchProvider, 'search'> & {
  request: (query: string, access: Parameters<WebSearchProvider['search']>[1]) => OutboundRequest
  answer: z.ZodType<WebResult[]>
  refusal?: (answer: Pick<OutboundAnswer, 'status' | 'body'>) => Refusal | undefined
  /** The advice to an admin about a refused key. */
  advice?: string
}

export type AskNeeds = { outbound: Pick<Outbound, 'send'>; clock: Pick<Clock, 'now'> }

const HEADERS = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'agent-task-service',
}

const refusals: Readonly<Record<number, Refusal>> = { 401: 'key', 403: 'key', 429: 'quota' }

/** A provider that is asked once for each search. The Problems that it throws never quote it: it may repeat the key. */
export const createProvider = (
  { outbound, clock }: AskNeeds,
  { request, answer: form, refusal, advice, ...facts }: Dialect,
): WebSearchProvider => {
  const { name } = facts
  const refused = (answer: OutboundAnswer): Problem => {
    const { status, headers } = answer
    const reason = refusal?.(answer) ?? refusals[status]
    if (reason === 'key')
      return new Problem(
        'unavailable',
        'web_search_key_refused',
        `${name} rejected the API key${advice ?? '. An admin must set a new key'}`,
      )
    if (reason === undefined) return failed(`${name} responded with HTTP ${status}`)
    const askedMs = retryAfterMs(headers['retry-after'], clock.now()) ?? USUAL_WAIT_MS
    return new Problem(
      'rate_limited',
      'web_search_rate_limited',
      `${name} accepts no more searches for now`,
      {
        retryAfterMs: Math.min(askedMs, LONGEST_WAIT_MS),
      },
    )
  }
  return {
    ...facts,
    search: async (query, access, signal) => {
      signal.throwIfAborted()
      const asked = request(query, access)
      const headers = { ...HEADERS, ...asked.headers }
      const limits = { timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES, signal }
      const answer = await outbound.send({ ...asked, ...limits, headers })
      if (answer.status !== 200) throw refused(answer)
      const { data } = form.safeParse(answer.truncated ? undefined : jsonIn(answer.body))
      if (data === undefined) throw failed(`${name} returned an unexpected response`)
      return data
    },
  }
}

const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const failed = (message: string) => new Problem('unavailable', 'web_search_failed', message)

export const MOST_RESULTS = 10
const LONGEST_TITLE = 300
const LONGEST_URL = 2_000
const LONGEST_SNIPPET = 1_000

const text = z.string().nullish().catch(undefined)

/** Results by the names of their fields; results without a URL are left out. */
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

const cut = (long: string, most: number): string => cutText(long.replaceAll(/\s+/g, ' ').trim(), most)

/** A query within a provider's limits: a longer one is cut. */
export const shortened = (query: string, most: { characters: number; words?: number }): string =>
  cutText(query.split(/\s+/).slice(0, most.words).join(' '), most.characters).trim()
