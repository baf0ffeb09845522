import * as z from 'zod'
import { Problem } from '../../core/errors.ts'
import { retryAfterMs } from '../../core/retry-after.ts'
import type { Clock } from '../../ports/clock.ts'
import type { CodeHost, CodeHostAccount, PullRequest, WantedPullRequest } from '../../ports/code-host.ts'
import type { ProviderFetch } from '../../ports/provider-fetch.ts'
import type { HostedName } from '../../ports/repositories.ts'
import { codeHostHeaders } from './headers.ts'

type Needs = { apiUrl: string; fetch: ProviderFetch; clock: Pick<Clock, 'now' | 'after'> }

/** The waits before retries after no answer, or a temporary one. */
const WAITS_MS = [500, 2_000]
/** The longest wait that the code host may ask for: a run would block its worker meanwhile. */
const LONGEST_WAIT_MS = 10_000
const PULLS_LOOKED_AT = 30

const Repository = z.object({ default_branch: z.string().min(1).max(255), private: z.boolean() })
const Pull = z.object({
  number: z.int(),
  html_url: z.url({ protocol: /^https?$/ }).max(2_000),
  state: z.string().max(100),
  head: z.object({
    ref: z.string().max(1_000),
    repo: z.object({ full_name: z.string().max(500) }).nullish(),
  }),
})
type Pull = z.output<typeof Pull>

/** GitHub's REST API, or that of a private server: docs.github.com/rest/pulls/pulls. */
export const createCodeHost = ({ apiUrl, fetch, clock }: Needs): CodeHost => {
  const root = apiUrl.replace(/\/+$/, '')
  const repositoryPath = ({ owner, name }: HostedName) =>
    `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`

  const once = async (path: string, { token }: CodeHostAccount, body?: object): Promise<Response> => {
    const headers = codeHostHeaders(token)
    const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    const answer = await fetch(`${root}${path}`, { headers, ...sent })
    if (isTemporary(answer)) throw unavailable(askedWaitMs(answer, clock.now()))
    return answer
  }

  /** Sends a request, with retries after no answer. Only for idempotent requests. */
  const ask = async (path: string, account: CodeHostAccount): Promise<Response> => {
    for (const waitMs of WAITS_MS) {
      try {
        return await once(path, account)
      } catch (thrown) {
        const pauseMs = (thrown instanceof Problem ? thrown.retryAfterMs : undefined) ?? waitMs
        if (pauseMs > LONGEST_WAIT_MS) throw unavailable()
        await new Promise<void>((resolve) => clock.after(pauseMs, resolve))
      }
    }
    return once(path, account).catch(() => {
      throw unavailable()
    })
  }

  const repository: CodeHost['repository'] = async (name, account) => {
    const answer = await ask(repositoryPath(name), account)
    const { default_branch, private: isPrivate } = await readForm(Repository, answer)
    const scopes = answer.headers.get('x-oauth-scopes')
    return { defaultBranch: default_branch, mayPush: allowsWriting(scopes, isPrivate) }
  }

  const findPullRequest = async (wanted: WantedPullRequest, account: CodeHostAccount) => {
    const { repository: name, branch, isOwnBranch } = wanted
    const query = new URLSearchParams({
      head: `${name.owner}:${branch}`,
      state: isOwnBranch ? 'all' : 'open',
      per_page: String(PULLS_LOOKED_AT),
    })
    const pulls = await readForm(z.array(Pull), await ask(`${repositoryPath(name)}/pulls?${query}`, account))
    const own = pulls.filter((pull) => isFromBranch(pull, name, branch))
    const pull = own.find(({ state }) => state === 'open') ?? own[0]
    return pull && toPullRequest(pull)
  }

  /** The existing pull request, or a new one; undefined when a retry may find another result. */
  const attempt = async (wanted: WantedPullRequest, account: CodeHostAccount) => {
    const existing = await findPullRequest(wanted, account)
    if (existing) return { found: existing }
    const { repository: name, branch: head, base, title, body } = wanted
    const request = { title, body, head, base }
    const answer = await once(`${repositoryPath(name)}/pulls`, account, request).catch(() => undefined)
    if (answer?.status === 201) return { found: toPullRequest(await readForm(Pull, answer)) }
    if (answer && answer.status !== 422) throw refusal(answer)
    return { answer }
  }

  // After a lost answer the pull request may exist, another process may have made it, and parts of the code host may not
  // know a new branch yet: a retry shows each.
  const pullRequest: CodeHost['pullRequest'] = async (wanted, account) => {
    for (const waitMs of WAITS_MS) {
      const { found } = await attempt(wanted, account)
      if (found) return found
      await new Promise<void>((resolve) => clock.after(waitMs, resolve))
    }
    const { found, answer } = await attempt(wanted, account)
    if (found) return found
    throw answer ? refused() : unavailable()
  }

  return { repository, pullRequest }
}

const toPullRequest = ({ number, html_url: url }: Pull): PullRequest => ({ number, url })

/** The list has all pull requests when the code host does not understand the filter. */
const isFromBranch = ({ head }: Pull, { owner, name }: HostedName, branch: string): boolean =>
  head.ref === branch && head.repo?.full_name.toLowerCase() === `${owner}/${name}`.toLowerCase()

/** Tokens of GitHub Apps have no scopes, so the header is missing: their rights show at the write. */
const allowsWriting = (scopes: string | null, isPrivate: boolean): boolean => {
  if (scopes === null) return true
  const granted = scopes.split(',').map((scope) => scope.trim())
  return granted.includes('repo') || (!isPrivate && granted.includes('public_repo'))
}

/** A temporary answer: a rate limit (403 or 429), or a fault of the code host. */
const isTemporary = ({ status, headers }: Response): boolean =>
  status >= 500 ||
  status === 429 ||
  (status === 403 && (headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0'))

const askedWaitMs = ({ headers }: Response, nowMs: number): number | undefined => {
  const askedMs = retryAfterMs(headers.get('retry-after'), nowMs)
  if (askedMs !== undefined) return askedMs
  // The hourly limit ends later than a run may wait.
  return headers.get('x-ratelimit-remaining') === '0' ? Number.POSITIVE_INFINITY : undefined
}

const readForm = async <T extends z.ZodType>(schema: T, answer: Response): Promise<z.output<T>> => {
  if (answer.status !== 200 && answer.status !== 201) throw refusal(answer)
  const parsed = schema.safeParse(await answer.json().catch(() => undefined))
  if (parsed.success) return parsed.data
  throw unavailable()
}

const refusal = ({ status }: Response): Problem =>
  [401, 403, 404].includes(status) ? forbidden() : unavailable()

const forbidden = () =>
  new Problem(
    'forbidden',
    'code_host_forbidden',
    'The linked account cannot do this in the repository. Link an account with write access',
  )

const refused = () =>
  new Problem(
    'invalid',
    'pull_request_refused',
    'GitHub did not create a pull request for this branch. It may have no new commits, or no common history with the default branch',
  )

const unavailable = (retryAfterMs?: number) =>
  new Problem(
    'unavailable',
    'code_host_unavailable',
    'GitHub returned an unexpected response. Create the pull request there, or retry the task',
    retryAfterMs === undefined ? {} : { retryAfterMs },
  )
