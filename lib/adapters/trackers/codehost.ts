import * as z from 'zod'
import { retryAfterMs } from '../../core/retry-after.ts'
import type { Asked, CommentDraft, PostedComment, Tracker } from '../../ports/tracker.ts'
import { markdownOf } from './markdown.ts'
import { type Api, bodyOf, jsonOf, notAnIssue, ShortUrl, saidIn, throwRefusal } from './request.ts'

// GitHub's REST API: docs.github.com/rest/issues/comments. A pull request is an issue too.

const HEADERS = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }
const ISSUE = /^([\w.-]{1,200})\/([\w.-]{1,200})#([1-9]\d{0,9})$/
/** The most pages that are searched for a comment. */
const MOST_PAGES = 3
const PER_PAGE = 100
const MOST_READ = 20
/** The wait of a limit that does not give one. */
const SECONDARY_WAIT_MS = 60_000

const Comment = z.object({ id: z.int(), html_url: ShortUrl })
const Comments = z.array(
  Comment.extend({
    body: z.string().nullish(),
    user: z.object({ login: z.string() }).nullish(),
    created_at: z.string().optional(),
  }),
)
const Issue = z.object({
  title: z.string(),
  body: z.string().nullish(),
  html_url: ShortUrl,
  comments: z.int().optional(),
})

/** GitHub. The mark is an HTML comment at the very beginning, so that a quotation of it does not count. */
export const createCodehost = ({ askWith, nowMs }: Api): Tracker => {
  const asking = (asked: Asked) => {
    const ask = askWith(asked)
    return async (path: string, request: Parameters<typeof ask>[1] = {}): Promise<Response> => {
      const response = await ask(path, { ...request, headers: HEADERS })
      if (response.status >= 200 && response.status < 300) return response
      const said = saidIn(await jsonOf(response), asked)
      return throwRefusal(response.status, said, {
        limitedMs: limitedMs(response, said, nowMs()),
        askedMs: retryAfterMs(response.headers.get('retry-after'), nowMs()),
      })
    }
  }

  const commentsOf = async (asked: Asked, page: number, perPage: number) => {
    const path = `${pathOf(asked)}/comments?per_page=${perPage}&page=${page}`
    return bodyOf(await asking(asked)(path), Comments)
  }

  /** Comments are listed oldest first, so the newest are on the last pages. */
  const lastPageOf = async (asked: Asked, perPage: number): Promise<[z.output<typeof Issue>, number]> => {
    const issue = await bodyOf(await asking(asked)(pathOf(asked)), Issue)
    return [issue, Math.max(1, Math.ceil((issue.comments ?? 0) / perPage))]
  }

  return {
    comment: async (asked, draft) =>
      posted(
        await asking(asked)(`${pathOf(asked)}/comments`, { method: 'POST', body: { body: textOf(draft) } }),
      ),
    edit: async (asked, commentId, draft) =>
      posted(
        await asking(asked)(`${repositoryOf(asked)}/issues/comments/${encodeURIComponent(commentId)}`, {
          method: 'PATCH',
          body: { body: textOf(draft) },
        }),
      ),
    find: async (asked, mark) => {
      const [, last] = await lastPageOf(asked, PER_PAGE)
      for (let page = last; page > Math.max(0, last - MOST_PAGES); page -= 1) {
        const found = (await commentsOf(asked, page, PER_PAGE)).findLast(
          ({ body, user }) => (body ?? '').startsWith(markOf(mark)) && isOf(asked, user?.login),
        )
        if (found) return shown(found)
      }
      return undefined
    },
    read: async (asked) => {
      const [{ title, body, html_url: url }, last] = await lastPageOf(asked, MOST_READ)
      const pages = last > 1 ? [last - 1, last] : [last]
      const comments = (await Promise.all(pages.map((page) => commentsOf(asked, page, MOST_READ)))).flat()
      return {
        title,
        ...(body ? { description: body } : {}),
        ...(url === undefined ? {} : { url }),
        comments: comments.slice(-MOST_READ).map(({ body: text, user, created_at: at }) => ({
          ...(user ? { author: user.login } : {}),
          ...(at === undefined ? {} : { at }),
          text: text ?? '',
        })),
      }
    },
  }
}

const partsOf = ({ issue }: Asked): [owner: string, name: string, number: string] => {
  const [, owner = '', name = '', number = ''] = ISSUE.exec(issue.id) ?? []
  // A segment of dots would lead to another path.
  if (number === '' || /^\.+$/.test(owner) || /^\.+$/.test(name)) throw notAnIssue(issue.id)
  return [owner, name, number]
}

const repositoryOf = (asked: Asked): string => {
  const [owner, name] = partsOf(asked)
  return `/repos/${owner}/${name}`
}

const pathOf = (asked: Asked): string => `${repositoryOf(asked)}/issues/${partsOf(asked)[2]}`

const markOf = (mark: string): string => `<!-- agent-task-service ${mark} -->`

const textOf = (draft: CommentDraft): string => `${markOf(draft.mark)}\n${markdownOf(draft)}`

const isOf = ({ as }: Asked, login: string | undefined): boolean =>
  as.username === undefined || login?.toLowerCase() === as.username.toLowerCase()

const posted = async (response: Response): Promise<PostedComment> => shown(await bodyOf(response, Comment))

const shown = ({ id, html_url: url }: z.output<typeof Comment>): PostedComment => ({
  id: String(id),
  ...(url === undefined ? {} : { url }),
})

/**
 * The wait of an answer about rate limits, which may be 403 or 429: `Retry-After`, the reset of a used-up limit, else a
 * minute. Undefined for any other answer.
 */
const limitedMs = (response: Response, said: string | undefined, nowMs: number): number | undefined => {
  if (response.status !== 403 && response.status !== 429) return undefined
  const asked = retryAfterMs(response.headers.get('retry-after'), nowMs)
  if (asked !== undefined) return asked
  if (response.headers.get('x-ratelimit-remaining') === '0') {
    const resetMs = Number(response.headers.get('x-ratelimit-reset')) * 1_000 - nowMs
    return Number.isNaN(resetMs) ? SECONDARY_WAIT_MS : Math.max(0, resetMs)
  }
  return response.status === 429 || /rate limit/i.test(said ?? '') ? SECONDARY_WAIT_MS : undefined
}
