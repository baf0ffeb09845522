import * as z from 'zod'
import { cutText } from '../../core/cut-text.ts'
import { Problem } from '../../core/errors.ts'
import { parseJson } from '../../core/json.ts'
import { createMasker } from '../../core/masker.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ProviderFetch } from '../../ports/provider-fetch.ts'
import type { Asked } from '../../ports/tracker.ts'

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

/** The answer's body in the expected form. Throws Problem `unavailable` `provider_answer_unknown`. */
export const bodyOf = async <S extends z.ZodType>(response: Response, form: S): Promise<z.output<S>> => {
  const { success, data } = form.safeParse(await jsonOf(response))
  if (success) return data
  throw new Problem('unavailable', 'provider_answer_unknown', 'The provider answered in an unknown form')
}

export const jsonOf = async (response: Response): Promise<unknown> => {
  try {
    return parseJson(await response.text())
  } catch {
    return undefined
  }
}

const Said = z.object({
  message: z.string().optional().catch(undefined),
  errorMessages: z.array(z.string()).optional().catch(undefined),
  errors: z.unknown().optional(),
})

/** The provider's error message, in one line. The token, which it may repeat, is masked. */
export const saidIn = (body: unknown, { as }: Pick<Asked, 'as'>): string | undefined => {
  const { data } = Said.safeParse(body)
  const errors = Array.isArray(data?.errors)
    ? data.errors.map((one) => Said.safeParse(one).data?.message)
    : []
  const all = [data?.message, ...(data?.errorMessages ?? []), ...errors].filter(
    (text) => typeof text === 'string',
  )
  const text = createMasker([as.token]).text(all.join('; ').replace(/\s+/g, ' ').trim())
  return text === '' ? undefined : cutText(text, MOST_SAID)
}

/** `limitedMs` is the wait of an answer about rate limits, `askedMs` the `Retry-After` of any other. */
type Waits = { limitedMs?: number | undefined; askedMs?: number | undefined }

/** Throws the Problem of an error answer. */
export const throwRefusal = (
  status: number,
  said: string | undefined,
  { limitedMs, askedMs }: Waits = {},
): never => {
  const because = said === undefined ? `(${status})` : `(${status}: ${said})`
  if (limitedMs !== undefined || status === 429)
    throw new Problem('rate_limited', 'provider_rate_limited', `The provider asks for a wait ${because}`, {
      retryAfterMs: limitedMs ?? 0,
    })
  if (status === 401)
    throw new Problem(
      'unauthenticated',
      'account_refused',
      `The provider refuses the token of the linked account ${because}: link the account again`,
    )
  if (status === 403)
    throw new Problem(
      'forbidden',
      'comment_forbidden',
      `The linked account may not do this ${because}: give it access to the issue, or link one that has it`,
    )
  if (status === 404 || status === 410)
    throw new Problem('missing', 'issue_not_found', `The linked account finds nothing there ${because}`)
  if (status === 408 || status >= 500)
    throw new Problem('unavailable', 'provider_failed', `The provider failed ${because}`, {
      ...(askedMs === undefined ? {} : { retryAfterMs: askedMs }),
    })
  throw new Problem('invalid', 'comment_refused', `The provider refuses this ${because}`)
}

export const notAnIssue = (id: string) =>
  new Problem(
    'invalid',
    'issue_name_unknown',
    `This names no issue of the provider: ${cutText(id, MOST_SAID)}`,
  )

const tookTooLong = () =>
  new Problem('unavailable', 'provider_unreachable', 'The provider took too long: try again later')
