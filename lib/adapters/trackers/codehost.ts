import * as z from 'zod'
import { definedFields } from '../../core/defined-fields.ts'
import type { Asked, CommentDraft, Tracker } from '../../ports/tracker.ts'
import {
  type Api,
  type Ask,
  askedWaitMs,
  askRest,
  draftMarkdown,
  notAnIssue,
  postedComment,
  readForm,
  ShortUrl,
  ticketComment,
} from './request.ts'

// GitHub's REST API: docs.github.com/rest/issues/comments. A pull request is an issue too.

const HEADERS = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }
const ISSUE = /^([\w.-]{1,200})\/([\w.-]{1,200})#([1-9]\d{0,9})$/
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
export const createCodehost = (api: Api): Tracker => {
  const asking = (asked: Asked): Ask => {
    const ask = askRest(api, asked, limitWaitMs)
    return (path, request) => ask(path, { ...request, headers: HEADERS })
  }

  const readComments = async (asked: Asked, page: number, perPage: number) => {
    const path = `${issuePath(asked)}/comments?per_page=${perPage}&page=${page}`
    return readForm(await asking(asked)(path), Comments)
  }

  /** Comments are listed oldest first, so the newest are on the last pages. */
  const readIssue = async (asked: Asked, perPage: number) => {
    const issue = await readForm(await asking(asked)(issuePath(asked)), Issue)
    return { issue, lastPage: Math.max(1, Math.ceil((issue.comments ?? 0) / perPage)) }
  }

  const post = async (asked: Asked, method: 'POST' | 'PATCH', path: string, draft: CommentDraft) => {
    const body = { body: `${htmlMark(draft.mark)}\n${draftMarkdown(draft)}` }
    return posted(await readForm(await asking(asked)(path, { method, body }), Comment))
  }

  return {
    comment: (asked, draft) => post(asked, 'POST', `${issuePath(asked)}/comments`, draft),
    edit: (asked, id, draft) =>
      post(asked, 'PATCH', `${repositoryPath(asked)}/issues/comments/${encodeURIComponent(id)}`, draft),
    find: async (asked, mark) => {
      const { lastPage } = await readIssue(asked, PER_PAGE)
      for (let page = lastPage; page > Math.max(0, lastPage - MOST_PAGES); page -= 1) {
        const comments = await readComments(asked, page, PER_PAGE)
        const own = comments.findLast(
          ({ body, user }) => body?.startsWith(htmlMark(mark)) && isAuthor(asked, user?.login),
        )
        if (own) return posted(own)
      }
      return undefined
    },
    read: async (asked) => {
      const { issue, lastPage } = await readIssue(asked, MOST_READ)
      const pages = lastPage > 1 ? [lastPage - 1, lastPage] : [lastPage]
      const comments = (await Promise.all(pages.map((page) => readComments(asked, page, MOST_READ)))).flat()
      return {
        title: issue.title,
        ...definedFields({ description: issue.body || undefined, url: issue.html_url }),
        comments: comments
          .slice(-MOST_READ)
          .map(({ body, user, created_at }) => ticketComment(body ?? '', user?.login, created_at)),
      }
    },
  }
}

const issueParts = ({ issue }: Asked): [owner: string, name: string, number: string] => {
  const [, owner = '', name = '', number = ''] = ISSUE.exec(issue.id) ?? []
  // A segment of dots would lead to another path.
  if (number === '' || /^\.+$/.test(owner) || /^\.+$/.test(name)) throw notAnIssue(issue.id)
  return [owner, name, number]
}

const repositoryPath = (asked: Asked): string => {
  const [owner, name] = issueParts(asked)
  return `/repos/${owner}/${name}`
}

const issuePath = (asked: Asked): string => `${repositoryPath(asked)}/issues/${issueParts(asked)[2]}`

const htmlMark = (mark: string): string => `<!-- agent-task-service ${mark} -->`

const isAuthor = ({ as }: Asked, login: string | undefined): boolean =>
  as.username === undefined || login?.toLowerCase() === as.username.toLowerCase()

const posted = ({ id, html_url }: z.output<typeof Comment>) => postedComment(String(id), html_url)

/** The wait of an answer about rate limits (403 or 429), a minute when it names none. Undefined for any other answer. */
const limitWaitMs = (response: Response, said: string | undefined, nowMs: number): number | undefined => {
  if (response.status !== 403 && response.status !== 429) return undefined
  const askedMs = askedWaitMs(response, nowMs)
  if (askedMs !== undefined) return askedMs
  if (response.headers.get('x-ratelimit-remaining') === '0') {
    const resetMs = Number(response.headers.get('x-ratelimit-reset')) * 1_000 - nowMs
    return Number.isNaN(resetMs) ? SECONDARY_WAIT_MS : Math.max(0, resetMs)
  }
  return response.status === 429 || /rate limit/i.test(said ?? '') ? SECONDARY_WAIT_MS : undefined
}
