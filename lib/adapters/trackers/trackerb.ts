import { createHash } from 'node:crypto'
import * as z from 'zod'
import { definedFields } from '../../core/defined-fields.ts'
import { Problem } from '../../core/errors.ts'
import type { Asked, Tracker } from '../../ports/tracker.ts'
import {
  type Api,
  askedWaitMs,
  draftMarkdown,
  notAnIssue,
  postedComment,
  readJsonBody,
  refusal,
  ShortId,
  ShortUrl,
  saidIn,
  ticketComment,
  unknownAnswer,
} from './request.ts'

// Linear's GraphQL API: linear.app/developers/graphql

const ISSUE = /^(?:[A-Za-z][A-Za-z0-9]{0,19}-\d{1,10}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i
const MOST_READ = 20
const LIMIT_WAIT_MS = 60_000

const CREATE =
  'mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { id url } } }'
const UPDATE =
  'mutation($id: String!, $input: CommentUpdateInput!) { commentUpdate(id: $id, input: $input) { success comment { id url } } }'
const FIND = 'query($id: String!) { comment(id: $id) { id url } }'
const READ = `query($id: String!) { issue(id: $id) { title description url comments(last: ${MOST_READ}) { nodes { body createdAt user { name } } } } }`

const Comment = z.object({ id: ShortId, url: ShortUrl })
const Payload = z.object({ success: z.literal(true), comment: Comment })
const Created = z.object({ commentCreate: Payload })
const Updated = z.object({ commentUpdate: Payload })
const Found = z.object({ comment: Comment })
const Read = z.object({
  issue: z.object({
    title: z.string(),
    description: z.string().nullish(),
    url: ShortUrl,
    comments: z.object({
      nodes: z.array(
        z.object({
          body: z.string(),
          createdAt: z.string().optional(),
          user: z.object({ name: z.string() }).nullish(),
        }),
      ),
    }),
  }),
})

const Failures = z.object({
  errors: z
    .array(
      z.object({
        message: z.string().optional(),
        extensions: z
          .object({
            type: z.string().optional().catch(undefined),
            code: z.string().optional().catch(undefined),
          })
          .optional()
          .catch(undefined),
      }),
    )
    .min(1),
})

/** Linear. The caller chooses the id of a comment, which is its mark: a second comment with that id is refused. */
export const createTrackerb = ({ askWith, nowMs }: Api): Tracker => {
  const ask = async <S extends z.ZodType>(
    asked: Asked,
    form: S,
    query: string,
    variables: object,
  ): Promise<z.output<S>> => {
    const response = await askWith(asked)('/graphql', { method: 'POST', body: { query, variables } })
    const body = await readJsonBody(response)
    const failures = Failures.safeParse(body).data?.errors ?? []
    if (failures.length > 0 || response.status !== 200)
      throw failure(failures, response, saidIn(body, asked), nowMs())
    const { success, data } = z.object({ data: form }).safeParse(body)
    if (success) return (data as { data: z.output<S> }).data
    throw unknownAnswer()
  }

  const issueId = ({ issue }: Asked): string => {
    if (!ISSUE.test(issue.id)) throw notAnIssue(issue.id)
    return issue.id
  }

  return {
    comment: async (asked, draft) => {
      const input = { id: commentId(draft.mark), issueId: issueId(asked), body: draftMarkdown(draft) }
      return posted((await ask(asked, Created, CREATE, { input })).commentCreate.comment)
    },
    edit: async (asked, id, draft) =>
      posted(
        (await ask(asked, Updated, UPDATE, { id, input: { body: draftMarkdown(draft) } })).commentUpdate
          .comment,
      ),
    find: async (asked, mark) => {
      try {
        return posted((await ask(asked, Found, FIND, { id: commentId(mark) })).comment)
      } catch (thrown) {
        if (thrown instanceof Problem && thrown.kind === 'missing') return undefined
        throw thrown
      }
    },
    read: async (asked) => {
      const { title, description, url, comments } = (await ask(asked, Read, READ, { id: issueId(asked) }))
        .issue
      return {
        title,
        ...definedFields({ description: description || undefined, url }),
        comments: comments.nodes
          .map(({ body, createdAt, user }) => ticketComment(body, user?.name, createdAt))
          .sort((a, b) => (a.at ?? '').localeCompare(b.at ?? '')),
      }
    },
  }
}

const posted = ({ id, url }: z.output<typeof Comment>) => postedComment(id, url)

/** A UUID in the form of version 4 (RFC 9562), derived from the mark. */
const commentId = (mark: string): string => {
  const digest = createHash('sha256').update(`agent-task-service comment ${mark}`).digest()
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x40, 6)
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8)
  return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

type Failure = z.output<typeof Failures>['errors'][number]

/** Linear answers errors with 200 or 400, and has their kind in the extensions. */
const failure = (
  failures: readonly Failure[],
  response: Response,
  said: string | undefined,
  nowMs: number,
): Problem => {
  const words = failures.map(({ message = '', extensions }) =>
    `${extensions?.code ?? ''} ${extensions?.type ?? ''} ${message}`.toLowerCase(),
  )
  const is = (word: RegExp) => words.some((text) => word.test(text))
  const { status } = response
  if (status === 429 || is(/rate ?limit/))
    return refusal(429, said, { limitedMs: limitWaitMs(response, nowMs) })
  if (status === 401 || is(/authentication/)) return refusal(401, said)
  if (is(/not found|could not find/)) return refusal(404, said)
  if (status === 403 || is(/forbidden|invalid scope|permission/)) return refusal(403, said)
  const waits = { askedMs: askedWaitMs(response, nowMs) }
  if (status >= 500 || is(/internal/)) return refusal(Math.max(500, status), said, waits)
  return refusal(failures.length > 0 ? 422 : status, said, waits)
}

/** The reset of the limit is in epoch milliseconds. */
const limitWaitMs = (response: Response, nowMs: number): number => {
  const resetMs = Number(response.headers.get('x-ratelimit-requests-reset') ?? Number.NaN) - nowMs
  return askedWaitMs(response, nowMs) ?? (Number.isNaN(resetMs) ? LIMIT_WAIT_MS : Math.max(0, resetMs))
}
