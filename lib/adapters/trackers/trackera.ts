import * as z from 'zod'
import { plainText } from '../../core/document-text.ts'
import { Problem } from '../../core/errors.ts'
import type { Asked, CommentDraft, PostedComment, Tracker } from '../../ports/tracker.ts'
import {
  type Api,
  type Ask,
  askRest,
  notAnIssue,
  postedComment,
  readForm,
  ShortId,
  ShortUrl,
  ticketComment,
} from './request.ts'

// Atlassian Document Format: developer.atlassian.com/cloud/jira/platform/apis/document/structure

type Mark = { type: 'strong' } | { type: 'link'; attrs: { href: string } }

/** A text must not be empty. */
const textNode = (text: string, marks?: readonly Mark[]) => ({
  type: 'text',
  text,
  ...(marks ? { marks } : {}),
})

/** Plain text as paragraphs, divided at empty lines. */
const paragraphs = (text: string): object[] =>
  text
    .split(/\n{2,}/)
    .map((part) => part.split('\n').filter((line) => line.trim() !== ''))
    .filter((lines) => lines.length > 0)
    .map((lines) => ({
      type: 'paragraph',
      content: lines.flatMap((line, at) => [...(at > 0 ? [{ type: 'hardBreak' }] : []), textNode(line)]),
    }))

// Jira Cloud's REST API, version 3, by OAuth: developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-comments

const ISSUE = /^(?:\d{1,19}|[A-Za-z][A-Za-z0-9_]{0,99}-\d{1,19})$/
const CLOUD_ID = /^[\w-]{1,100}$/
const NUMBERED_SITE = /\/ex\/jira\/([\w-]{1,100})$/
/** The property of a comment with the mark, which people do not see. */
const PROPERTY = 'agent-task-service'
const MOST_SEARCHED = 300
const MOST_READ = 20

const Id = z.union([ShortId, z.int().transform(String)])
const Comment = z.object({ id: Id })
const Comments = z.object({
  comments: z.array(
    Comment.extend({
      body: z.unknown().optional(),
      author: z.object({ displayName: z.string().optional() }).nullish(),
      created: z.string().optional(),
    }),
  ),
})
const Marked = z.object({
  values: z.array(
    Comment.extend({
      properties: z.array(z.object({ key: z.string().optional(), value: z.unknown() })).optional(),
    }),
  ),
})
const Issue = z.object({
  key: ShortId,
  fields: z.object({ summary: z.string(), description: z.unknown().optional() }),
})
const Sites = z.array(z.object({ id: ShortId, url: ShortUrl }))

type Site = { cloudId: string; url?: string }

/** Jira Cloud. */
export const createTrackera = (api: Api): Tracker => {
  /** The site of the issue, if this account works there: another site may have an issue of the same name. */
  const findSite = async (ask: Ask, { as, issue }: Asked): Promise<Site> => {
    if (issue.site === undefined) return as.cloudId === undefined ? refuseSite() : { cloudId: as.cloudId }
    const numbered = NUMBERED_SITE.exec(issue.site)?.[1]
    if (numbered !== undefined) return { cloudId: numbered }
    const sites = await readForm(await ask('/oauth/token/accessible-resources'), Sites)
    const site = sites.find(({ url }) => url !== undefined && isSameSite(url, issue.site ?? ''))
    return site ? { cloudId: site.id, url: site.url ?? '' } : refuseSite()
  }

  /** Requests about the issue; paths are relative to its site's API. */
  const open = async (asked: Asked) => {
    if (!ISSUE.test(asked.issue.id)) throw notAnIssue(asked.issue.id)
    const ask = askRest(api, asked)
    const site = await findSite(ask, asked)
    if (!CLOUD_ID.test(site.cloudId)) refuseSite()
    const base = `/ex/jira/${site.cloudId}/rest/api/3`
    const issue = `/issue/${asked.issue.id}`
    const at = (path: string, request?: Parameters<Ask>[1]) => ask(base + path, request)
    const posted = ({ id }: { id: string }): PostedComment => {
      const hasPage = site.url !== undefined && !/^\d+$/.test(asked.issue.id)
      const page = `${site.url}/browse/${asked.issue.id}?focusedCommentId=${encodeURIComponent(id)}`
      return postedComment(id, hasPage ? page : undefined)
    }
    return { at, issue, posted }
  }

  return {
    comment: async (asked, draft) => {
      const { at, issue, posted } = await open(asked)
      const response = await at(`${issue}/comment`, { method: 'POST', body: bodyFor(draft) })
      return posted(await readForm(response, Comment))
    },
    edit: async (asked, commentId, draft) => {
      const { at, issue, posted } = await open(asked)
      const path = `${issue}/comment/${encodeURIComponent(commentId)}`
      return posted(await readForm(await at(path, { method: 'PUT', body: bodyFor(draft) }), Comment))
    },
    find: async (asked, mark) => {
      const { at, issue, posted } = await open(asked)
      for (let from = 0; from < MOST_SEARCHED; from += 100) {
        const query = `orderBy=-created&maxResults=100&startAt=${from}`
        const { comments } = await readForm(await at(`${issue}/comment?${query}`), Comments)
        if (comments.length === 0) return undefined
        const ids = comments.map(({ id }) => Number(id))
        const list = await at('/comment/list?expand=properties', { method: 'POST', body: { ids } })
        const marked = (await readForm(list, Marked)).values.find(({ properties = [] }) =>
          properties.some(({ key, value }) => key === PROPERTY && isMark(value, mark)),
        )
        if (marked) return posted(marked)
        if (comments.length < 100) return undefined
      }
      return undefined
    },
    read: async (asked) => {
      const { at, issue } = await open(asked)
      const [answer, newest] = await Promise.all([
        at(`${issue}?fields=summary,description`),
        at(`${issue}/comment?orderBy=-created&maxResults=${MOST_READ}`),
      ])
      const { fields } = await readForm(answer, Issue)
      const { comments } = await readForm(newest, Comments)
      const description = plainText(fields.description)
      return {
        title: fields.summary,
        ...(description ? { description } : {}),
        comments: comments
          .reverse()
          .map(({ body, author, created }) =>
            ticketComment(plainText(body) ?? '', author?.displayName, created),
          ),
      }
    },
  }
}

const isSameSite = (one: string, other: string): boolean =>
  one.replace(/\/+$/, '').toLowerCase() === other.replace(/\/+$/, '').toLowerCase()

const isMark = (value: unknown, mark: string): boolean =>
  z.object({ mark: z.literal(mark) }).safeParse(value).success

/** A comment in Atlassian Document Format, where text is only text: no mentions, and no links except those made here. */
const bodyFor = ({ mark, headline, facts, links, text }: CommentDraft) => {
  const dot = textNode(' · ')
  const first = [
    textNode(headline, [{ type: 'strong' }]),
    ...facts.flatMap((fact) => [dot, textNode(fact)]),
    ...links.flatMap(({ label, url }) => [dot, textNode(label, [{ type: 'link', attrs: { href: url } }])]),
  ]
  return {
    body: { type: 'doc', version: 1, content: [{ type: 'paragraph', content: first }, ...paragraphs(text)] },
    properties: [{ key: PROPERTY, value: { mark } }],
  }
}

const refuseSite = (): never => {
  throw new Problem(
    'missing',
    'site_not_linked',
    'The linked account has no access to the site of this issue. Link an account that has',
  )
}
