import * as z from 'zod'
import { cutText } from '../../core/cut-text.ts'
import { definedFields } from '../../core/defined-fields.ts'
import { Problem } from '../../core/errors.ts'
import { parseJson } from '../../core/json.ts'
import { createMasker } from '../../core/masker.ts'
import { retryAfterMs } from '../../core/retry-after.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ProviderFetch } from '../../ports/provider-fetch.ts'
import type { Asked, CommentDraft, PostedComment } from '../../ports/tracker.ts'

type Needs = { fetch: ProviderFetch; clock: Clock; apiUrl: string }

type Request = {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT'
  headers?: Readonly<Record<string, string>>
  body?: object
}

/** The requests of one call of a tracker: they share its time limit. */
export type Ask = (path: string, request?: Request) => Promise<Response>
export type Api = { askWith(asked: Pick<Asked, 'as' | 'timeoutMs'>): Ask; nowMs(): number }

const MOST_SAID = 200

/** The id of an issue or a comment, which is stored. */
export const ShortId = z.string().max(200)
/** The address of an issue or a comment, which is stored; a longer one is left out. */
export const ShortUrl = z.string().max(2_000).optional().catch(undefined)

/** JSON requests to an API, with the token of a linked account. */
export const createApi = ({ fetch, clock, apiUrl }: Needs): Api => ({
  nowMs: clock.now,
  askWith: ({ as, timeoutMs }) => {
    const until = clock.monotonic() + timeoutMs
    return async (path, { method = 'GET', headers = {}, body } = {}) => {
      const leftMs = Math.floor(until - clock.monotonic())
      if (leftMs <= 0) throw tookTooLong()
      return fetch(apiUrl.replace(/\/+$/, '') + path, {
        method,
        timeoutMs: leftMs,
        headers: {
          accept: 'application/json',
          'user-agent': 'agent-task-service',
          authorization: `Bearer ${as.token}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...headers,
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
    }
  },
})

/** The JSON of an answer; undefined when it is none. */
export const readJsonBody = async (response: Response): Promise<unknown> => {
  try {
    return parseJson(await response.text())
  } catch {
    return undefined
  }
}

/** The answer's body in the expected form. Throws Problem `unavailable` `provider_answer_unknown`. */
export const readForm = async <S extends z.ZodType>(response: Response, form: S): Promise<z.output<S>> => {
  const { success, data } = form.safeParse(await readJsonBody(response))
  if (success) return data
  throw unknownAnswer()
}

export const unknownAnswer = () =>
  new Problem('unavailable', 'provider_answer_unknown', 'The provider returned an unexpected response')

export const askedWaitMs = ({ headers }: Response, nowMs: number): number | undefined =>
  retryAfterMs(headers.get('retry-after'), nowMs)

/** The wait of an answer about rate limits; undefined for any other answer. */
type LimitWait = (response: Response, said: string | undefined, nowMs: number) => number | undefined

/** Requests of a REST API, which throw the Problem of an error answer. */
export const askRest = ({ askWith, nowMs }: Api, asked: Asked, limitWaitMs?: LimitWait): Ask => {
  const ask = askWith(asked)
  return async (path, request) => {
    const response = await ask(path, request)
    if (response.ok) return response
    const said = saidIn(await readJsonBody(response), asked)
    const now = nowMs()
    throw refusal(response.status, said, {
      limitedMs: limitWaitMs?.(response, said, now),
      askedMs: askedWaitMs(response, now),
    })
  }
}

const Said = z.object({
  message: z.string().optional().catch(undefined),
  errorMessages: z.array(z.string()).optional().catch(undefined),
  errors: z.unknown().optional(),
})

/** The provider's error message, in one line. The token, which it may repeat, is masked. */
export const saidIn = (body: unknown, { as }: Pick<Asked, 'as'>): string | undefined => {
  const { message, errorMessages = [], errors } = Said.safeParse(body).data ?? {}
  const inner = Array.isArray(errors) ? errors.map((error) => Said.safeParse(error).data?.message) : []
  const texts = [message, ...errorMessages, ...inner].filter((text) => text !== undefined)
  const text = createMasker([as.token]).text(texts.join('; ').replace(/\s+/g, ' ').trim())
  return text === '' ? undefined : cutText(text, MOST_SAID)
}

/** `limitedMs` is the wait of an answer about rate limits, `askedMs` the `Retry-After` of any answer. */
type Waits = { limitedMs?: number | undefined; askedMs?: number | undefined }

/** The Problem of an error answer. */
export const refusal = (
  status: number,
  said: string | undefined,
  { limitedMs, askedMs }: Waits = {},
): Problem => {
  const because = said === undefined ? `(${status})` : `(${status}: ${said})`
  if (limitedMs !== undefined || status === 429) {
    const retryAfterMs = limitedMs ?? askedMs ?? 0
    const text = `The provider is rate limiting ${because}`
    return new Problem('rate_limited', 'provider_rate_limited', text, { retryAfterMs })
  }
  if (status === 401) {
    const text = `The provider rejected the token of the linked account ${because}. Link the account again`
    return new Problem('unauthenticated', 'account_refused', text)
  }
  if (status === 403) {
    const text = `The linked account cannot do this ${because}. Give it access to the issue, or link another account`
    return new Problem('forbidden', 'comment_forbidden', text)
  }
  if (status === 404 || status === 410)
    return new Problem('missing', 'issue_not_found', `The linked account cannot find the issue ${because}`)
  if (status === 408 || status >= 500) {
    const wait = askedMs === undefined ? {} : { retryAfterMs: askedMs }
    return new Problem('unavailable', 'provider_failed', `The provider failed ${because}`, wait)
  }
  return new Problem('invalid', 'comment_refused', `The provider rejected this ${because}`)
}

export const postedComment = (id: string, url: string | undefined): PostedComment => ({
  id,
  ...definedFields({ url }),
})

export const ticketComment = (text: string, author: string | undefined, at: string | undefined) => ({
  ...definedFields({ author, at }),
  text,
})

export const notAnIssue = (id: string) =>
  new Problem(
    'invalid',
    'issue_name_unknown',
    `This is not an issue of the provider: ${cutText(id, MOST_SAID)}`,
  )

const tookTooLong = () =>
  new Problem('unavailable', 'provider_unreachable', 'The provider did not respond in time. Try again later')

/** A draft as Markdown. Untrusted text comes last, so that its open markup cannot contain the service's text. */
export const draftMarkdown = ({ headline, facts, links, text }: Omit<CommentDraft, 'mark'>): string => {
  const linkTexts = links.map(
    ({ label, url }) => `[${label}](${url.replace(/[()<>\s\\]/g, encodeURIComponent)})`,
  )
  const first = [`**${headline}**`, ...facts, ...linkTexts].join(' · ')
  return text === '' ? first : `${first}\n\n${text}`
}
