import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text as streamText } from 'node:stream/consumers'
import type { TrackerName } from '../../lib/ports/tracker.ts'
import { onLoopback } from '../../offline/loopback.ts'

/** What a tracker keeps of a comment; `body` as its API was given it. */
export type FakeComment = { id: string; body: unknown; author: string; mark?: unknown }
export type FakeAnswer = { status: number; headers?: Record<string, string>; body?: unknown }
type Call = { name: TrackerName; method: string; path: string; headers: IncomingHttpHeaders; body: unknown }

export const TOKEN = 'CANARY-token-of-the-account'
export const ISSUES = {
  codehost: { id: 'acme/shop#12' },
  trackera: { id: 'SHOP-7', site: 'https://acme.atlassian.net' },
  trackerb: { id: '539068e2-ae88-4d09-bd75-22eb4a59612f' },
} as const

type Data = Record<string, unknown>
/** What a method and a path are answered with; the numbers are those of the path. */
type Route = [pattern: RegExp, answer: (call: Call, numbers: readonly number[]) => FakeAnswer]

const REFUSED = { status: 400, body: { message: 'the request is not as documented' } }

/**
 * The APIs of all three trackers as they are documented, with one issue each. Whatever is not as documented, a header
 * among it, is answered 400. `answer` decides before anything is done, `after` when it is done and not answered yet.
 */
export const createTrackerApi = () => {
  const comments: Record<TrackerName, FakeComment[]> = { codehost: [], trackera: [], trackerb: [] }
  const calls: Call[] = []
  const state = {
    token: TOKEN,
    login: 'ann',
    answer: (_call: Call): FakeAnswer | undefined => undefined,
    after: async (_call: Call): Promise<void> => undefined,
  }
  let last = 1_000

  const added = (name: TrackerName, body: unknown, more: Partial<FakeComment> = {}): FakeComment => {
    last += 1
    const comment = { id: String(last), body, author: state.login, ...more }
    comments[name].push(comment)
    return comment
  }
  const findComment = (name: TrackerName, id: unknown) => comments[name].find((one) => one.id === id)
  /** Changes a comment that is there. */
  const changed = (name: TrackerName, id: unknown, change: Partial<FakeComment>): FakeComment | undefined => {
    const comment = findComment(name, id)
    return comment && Object.assign(comment, change)
  }

  const onCodehost = (comment: FakeComment) => ({
    id: Number(comment.id),
    body: comment.body,
    user: { login: comment.author },
    created_at: '2026-03-01T10:00:00Z',
    html_url: `https://github.com/acme/shop/issues/12#issuecomment-${comment.id}`,
  })
  const codehost: Route[] = [
    [
      /^GET \/repos\/acme\/shop\/issues\/12$/,
      () =>
        ok({
          number: 12,
          title: 'Checkout counts twice',
          body: 'Click Buy twice.',
          html_url: 'https://github.com/acme/shop/issues/12',
          comments: comments.codehost.length,
        }),
    ],
    [
      /^POST \/repos\/acme\/shop\/issues\/12\/comments$/,
      ({ body }) => (isPlain(body) ? ok(onCodehost(added('codehost', body.body)), 201) : REFUSED),
    ],
    [
      /^GET \/repos\/acme\/shop\/issues\/12\/comments\?per_page=(\d+)&page=([1-9]\d*)$/,
      (_call, [per = 0, page = 0]) => {
        if (per > 100) return REFUSED
        return ok(comments.codehost.slice((page - 1) * per, page * per).map(onCodehost))
      },
    ],
    [
      /^PATCH \/repos\/acme\/shop\/issues\/comments\/(\d+)$/,
      ({ body }, [id]) => {
        if (!isPlain(body)) return REFUSED
        const comment = changed('codehost', String(id), { body: body.body })
        return comment ? ok(onCodehost(comment)) : { status: 404, body: { message: 'Not Found' } }
      },
    ],
  ]

  const onTrackera = ({ id, body, author }: FakeComment) => ({
    id,
    body,
    author: { displayName: author },
    created: '2026-03-01T10:00:00.000+0100',
  })
  const trackera: Route[] = [
    [
      /^GET \/oauth\/token\/accessible-resources$/,
      () =>
        ok([
          { id: 'cloud-other', url: 'https://other.atlassian.net', name: 'other', scopes: [] },
          { id: 'cloud-1', url: 'https://acme.atlassian.net', name: 'acme', scopes: [] },
        ]),
    ],
    [
      /^GET \/ex\/jira\/cloud-1\/rest\/api\/3\/issue\/SHOP-7\?fields=summary,description$/,
      () => {
        const fields = { summary: 'Checkout counts twice', description: document('Click Buy.') }
        return ok({ id: '10002', key: 'SHOP-7', fields })
      },
    ],
    [
      /^GET \/ex\/jira\/cloud-1\/rest\/api\/3\/issue\/SHOP-7\/comment\?orderBy=-created&maxResults=(\d+)(?:&startAt=(\d+))?$/,
      (_call, [most = 0, from = 0]) => {
        const newest = comments.trackera.toReversed()
        const page = newest.slice(from, from + most).map(onTrackera)
        return ok({ startAt: from, maxResults: most, total: newest.length, comments: page })
      },
    ],
    [
      /^POST \/ex\/jira\/cloud-1\/rest\/api\/3\/issue\/SHOP-7\/comment$/,
      ({ body }) =>
        isMarked(body)
          ? ok(onTrackera(added('trackera', body.body, { mark: body.properties })), 201)
          : REFUSED,
    ],
    [
      /^POST \/ex\/jira\/cloud-1\/rest\/api\/3\/comment\/list\?expand=properties$/,
      ({ body }) => {
        const ids = isRecord(body) && Array.isArray(body.ids) ? body.ids : []
        if (ids.length === 0 || ids.some((id) => !Number.isInteger(id))) return REFUSED
        const values = ids.flatMap((id) => findComment('trackera', String(id)) ?? [])
        return ok({ values: values.map((one) => ({ ...onTrackera(one), properties: one.mark })) })
      },
    ],
    [
      /^PUT \/ex\/jira\/cloud-1\/rest\/api\/3\/issue\/SHOP-7\/comment\/(\d+)$/,
      ({ body }, [id]) => {
        if (!isMarked(body)) return REFUSED
        const comment = changed('trackera', String(id), { body: body.body, mark: body.properties })
        return comment
          ? ok(onTrackera(comment))
          : { status: 404, body: { errorMessages: ['No such comment'] } }
      },
    ],
  ]

  const onTrackerb = ({ id }: FakeComment) => ({
    id,
    url: `https://linear.app/acme/issue/ENG-12#comment-${id.slice(0, 8)}`,
  })
  const noComment = failure('Entity not found: Comment', 'INPUT_ERROR', 'invalid input')
  const noIssue = failure('Entity not found: Issue', 'INPUT_ERROR', 'invalid input')
  /** Operations by how their query begins. */
  const operations: [begins: string, serve: (variables: Data, input: Data) => FakeAnswer][] = [
    [
      'mutation($input: CommentCreateInput!) { commentCreate(input: $input)',
      (_variables, input) => {
        if (Object.keys(input).sort().join() !== 'body,id,issueId' || !UUID_4.test(String(input.id)))
          return REFUSED
        if (input.issueId !== ISSUES.trackerb.id) return noIssue
        if (findComment('trackerb', input.id))
          return failure('The id is taken', 'INPUT_ERROR', 'invalid input')
        const comment = added('trackerb', input.body, { id: String(input.id) })
        return data({ commentCreate: { success: true, comment: onTrackerb(comment) } })
      },
    ],
    [
      'mutation($id: String!, $input: CommentUpdateInput!) { commentUpdate(id: $id, input: $input)',
      ({ id }, input) => {
        if (Object.keys(input).join() !== 'body') return REFUSED
        const comment = changed('trackerb', id, { body: input.body })
        return comment ? data({ commentUpdate: { success: true, comment: onTrackerb(comment) } }) : noComment
      },
    ],
    [
      'query($id: String!) { comment(id: $id)',
      ({ id }) => {
        const comment = findComment('trackerb', id)
        return comment ? data({ comment: onTrackerb(comment) }) : noComment
      },
    ],
    [
      'query($id: String!) { issue(id: $id)',
      ({ id }) => {
        if (id !== ISSUES.trackerb.id && id !== 'ENG-12') return noIssue
        const nodes = comments.trackerb.map(({ body, author }) => ({
          body,
          createdAt: '2026-03-01T10:00:00.000Z',
          user: { name: author },
        }))
        const url = 'https://linear.app/acme/issue/ENG-12'
        return data({
          issue: { title: 'Search misses umlauts', description: 'Type ü.', url, comments: { nodes } },
        })
      },
    ],
  ]
  const trackerb: Route[] = [
    [
      /^POST \/graphql$/,
      ({ body }) => {
        if (!isRecord(body) || typeof body.query !== 'string') return REFUSED
        const { query, variables } = body
        const given = isRecord(variables) ? variables : {}
        const operation = operations.find(([begins]) => query.startsWith(begins))
        return operation ? operation[1](given, isRecord(given.input) ? given.input : {}) : REFUSED
      },
    ],
  ]

  const serve =
    (routes: readonly Route[]) =>
    (call: Call): FakeAnswer => {
      for (const [pattern, answer] of routes) {
        const match = pattern.exec(`${call.method} ${call.path}`)
        if (match)
          return answer(
            call,
            match.slice(1).map((digits) => Number(digits ?? 0)),
          )
      }
      return { status: 404, body: { message: 'Not Found', errorMessages: ['Issue does not exist'] } }
    }

  const apis = { codehost: serve(codehost), trackera: serve(trackera), trackerb: serve(trackerb) }

  const call = async (asked: Call): Promise<FakeAnswer> => {
    calls.push(asked)
    const { name, headers, method } = asked
    if (headers.authorization !== `Bearer ${state.token}`)
      return name === 'trackerb'
        ? {
            ...failure('Authentication required', 'AUTHENTICATION_ERROR', 'authentication error'),
            status: 401,
          }
        : { status: 401, body: { message: 'Bad credentials' } }
    if (name === 'codehost' && !isVersioned(headers)) return REFUSED
    if (!headers['user-agent'] || (method !== 'GET' && headers['content-type'] !== 'application/json'))
      return REFUSED
    const answer = state.answer(asked) ?? apis[name](asked)
    await state.after(asked)
    return answer
  }

  return {
    comments,
    calls,
    state,
    call,
    added,
    /** A comment of that text, in the format of its tracker. */
    write: (name: TrackerName, text: string, more: Partial<FakeComment> = {}) =>
      added(name, name === 'trackera' ? document(text) : text, more),
    /** What a comment says, whatever the format. */
    said: (name: TrackerName) =>
      comments[name].map(({ body }) => (typeof body === 'string' ? body : flat(body))),
    writes: (name: TrackerName) =>
      calls.filter((one) => one.name === name && /POST|PUT|PATCH/.test(one.method) && isWrite(one)).length,
  }
}

const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const isVersioned = (headers: IncomingHttpHeaders): boolean =>
  headers.accept === 'application/vnd.github+json' && headers['x-github-api-version'] === '2022-11-28'

const ok = (body: unknown, status = 200): FakeAnswer => ({ status, body })
const data = (answer: object): FakeAnswer => ok({ data: answer })

const isPlain = (body: unknown): body is { body: string } =>
  isRecord(body) && typeof body.body === 'string' && Object.keys(body).length === 1

const isMarked = (body: unknown): body is { body: object; properties: unknown } =>
  isRecord(body) && isDocument(body.body) && isMark(body.properties)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isWrite = ({ path, body }: Call) =>
  !path.includes('/comment/list') && !(isRecord(body) && String(body.query).startsWith('query'))

const failure = (message: string, code: string, type: string): FakeAnswer => ({
  status: 200,
  body: { errors: [{ message, extensions: { code, type, userError: true } }], data: null },
})

const document = (text: string) => ({
  type: 'doc',
  version: 1,
  content: [{ type: 'paragraph', content: [{ type: 'text', text }] }],
})

const NODES = new Set(['paragraph', 'text', 'hardBreak'])

/** Atlassian Document Format, of those nodes: a text is never empty. */
const isDocument = (value: unknown): boolean => {
  const isNode = (node: unknown): boolean =>
    isRecord(node) &&
    NODES.has(String(node.type)) &&
    (node.type !== 'text' || (typeof node.text === 'string' && node.text !== '')) &&
    (node.type !== 'paragraph' || (Array.isArray(node.content) && node.content.every(isNode)))
  return (
    isRecord(value) &&
    value.type === 'doc' &&
    value.version === 1 &&
    Array.isArray(value.content) &&
    value.content.every(isNode)
  )
}

const isMark = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length === 1 &&
  isRecord(value[0]) &&
  typeof value[0].key === 'string' &&
  isRecord(value[0].value)

const flat = (node: unknown): string => {
  if (!isRecord(node)) return ''
  const marks = Array.isArray(node.marks) ? node.marks : []
  const link = marks.flatMap((mark) =>
    isRecord(mark) && isRecord(mark.attrs) ? [` (${mark.attrs.href})`] : [],
  )
  if (typeof node.text === 'string') return node.text + link.join('')
  return Array.isArray(node.content) ? node.content.map(flat).join('') : '\n'
}

/** How trackers refuse, by the kind of the Problem that it is; each says the words, if any. A limit ends in an hour. */
export const refusals = (nowMs: number, words = 'You may not do this') =>
  ({
    unauthenticated: {
      codehost: { status: 401, body: { message: words } },
      trackera: { status: 401, body: { errorMessages: [words] } },
      trackerb: { ...failure(words, 'AUTHENTICATION_ERROR', 'authentication error'), status: 401 },
    },
    forbidden: {
      codehost: { status: 403, body: { message: words } },
      trackera: { status: 403, body: { errorMessages: [words] } },
      trackerb: failure(words, 'FORBIDDEN', 'forbidden'),
    },
    missing: {
      codehost: { status: 404, body: { message: words } },
      trackera: { status: 404, body: { errorMessages: [words] } },
      trackerb: failure(`Entity not found: ${words}`, 'INPUT_ERROR', 'invalid input'),
    },
    invalid: {
      codehost: { status: 422, body: { message: 'Validation Failed', errors: [{ message: words }] } },
      trackera: { status: 400, body: { errorMessages: [words] } },
      trackerb: { ...failure(words, 'INVALID_INPUT', 'invalid input'), status: 400 },
    },
    rate_limited: {
      codehost: {
        status: 403,
        headers: {
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': String(Math.floor(nowMs / 1_000) + 3_600),
        },
        body: { message: words },
      },
      trackera: { status: 429, headers: { 'retry-after': '3600' }, body: { errorMessages: [words] } },
      trackerb: {
        ...failure(words, 'RATELIMITED', 'ratelimited'),
        status: 400,
        headers: { 'x-ratelimit-requests-reset': String(nowMs + 3_600_000) },
      },
    },
    unavailable: {
      codehost: { status: 502, headers: { 'retry-after': '3600' }, body: { message: words } },
      trackera: { status: 503, headers: { 'retry-after': '3600' }, body: { errorMessages: [words] } },
      trackerb: {
        ...failure(words, 'INTERNAL_SERVER_ERROR', 'internal error'),
        status: 500,
        headers: { 'retry-after': '3600' },
      },
    },
  }) satisfies Readonly<Record<string, Readonly<Record<TrackerName, FakeAnswer>>>>

/** The APIs on a port of loopback, each below its name. */
export const startTrackers = async () => {
  const api = createTrackerApi()
  const server = createServer(async (request, response) => {
    const [, name = '', ...rest] = (request.url ?? '').split('/')
    const { method = '', headers } = request
    const given = await streamText(request)
    const body = given === '' ? undefined : JSON.parse(given)
    const answer = await api.call({
      name: name as TrackerName,
      method,
      path: `/${rest.join('/')}`,
      headers,
      body,
    })
    response
      .writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
      .end(JSON.stringify(answer.body ?? {}))
  })
  const { url, stop } = await onLoopback(server)
  const apiUrls = { codehost: `${url}/codehost`, trackera: `${url}/trackera`, trackerb: `${url}/trackerb` }
  return {
    ...api,
    apiUrls,
    env: Object.fromEntries(
      Object.entries(apiUrls).flatMap(([name, apiUrl]) => [
        [`${name.toUpperCase()}_API_URL`, apiUrl],
        [`${name.toUpperCase()}_CLIENT_ID`, 'the-client'],
        [`${name.toUpperCase()}_CLIENT_SECRET`, 'CANARY-client-secret'],
      ]),
    ),
    [Symbol.asyncDispose]: stop,
  }
}

export type FakeTrackers = Awaited<ReturnType<typeof startTrackers>>
