import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, renameSync } from 'node:fs'
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onLoopback } from '../../offline/loopback.ts'
import { makeBareRepository, makeCertificate } from './git-host.ts'

/** What a token may do with the repository; a token without `mayRead` is shown that nothing is there. */
export type TokenRights = { scopes?: string; mayRead?: boolean; mayPush?: boolean }

type Pull = {
  number: number
  title: string
  body: string | null
  state: 'open' | 'closed'
  html_url: string
  head: { label: string; ref: string; sha: string; repo: { full_name: string } }
  base: { ref: string }
}
type Answer = { status: number; body?: unknown; headers?: Record<string, string> } | 'lost'

const OWNER = 'owner'
const NAME = 'repo'
const FULL = `${OWNER}/${NAME}`
const DOCS = 'https://docs.github.com/rest'

/** As GitHub words its refusals. */
const refusal = (status: number, message: string, errors?: object[]): Answer => ({
  status,
  body: { message, ...(errors && { errors }), documentation_url: DOCS, status: String(status) },
})
const invalid = (error: object) => refusal(422, 'Validation Failed', [{ resource: 'PullRequest', ...error }])

/**
 * A code host on loopback: one repository, `owner/repo`, that git clones from and pushes to by https (smart HTTP, with HTTP
 * Basic), and the REST API of its pull requests and comments below `/api/v3`, by https and for short by `apiUrl` without.
 */
export const startCodeHost = async (
  folder: string,
  { isPrivate = true, tokens = {} }: { isPrivate?: boolean; tokens?: Record<string, TokenRights> } = {},
) => {
  const { caFile, tls } = makeCertificate(folder)
  mkdirSync(join(folder, 'hosted', OWNER), { recursive: true })
  const bare = join(folder, 'hosted', `${FULL}.git`)
  renameSync(makeBareRepository(folder), bare)
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', bare, '-c', 'user.name=B', '-c', 'user.email=b@example.com', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
  git('config', 'http.receivepack', 'true')
  const heard: { method: string; path: string; authorization: string | undefined }[] = []
  const pulls: Pull[] = []
  /** Of the issues, whichever they are. */
  const comments: { issue: number; id: number; body: string }[] = []
  const state = {
    isPrivate,
    tokens: new Map(Object.entries(tokens)),
    /** Where what the API says of people comes from: the address of a provider's API. */
    people: undefined as string | undefined,
    /** Is asked before anything else is; what it answers is answered. */
    fault: undefined as ((method: string, path: string) => Answer | undefined) | undefined,
    /** Is told that a push has been taken, or a pull request been made; the answer may be lost then. */
    after: undefined as ((what: 'push' | 'pull') => 'lost' | undefined) | undefined,
  }

  const tokenIn = (authorization = '') => {
    const [scheme, value = ''] = authorization.split(' ')
    return scheme === 'Basic' ? atob(value).split(':').slice(1).join(':') : value
  }

  /** Undefined for a token that there is not; nobody's rights without one. */
  const tokenRights = (authorization: string | undefined): TokenRights | undefined =>
    authorization === undefined ? { mayRead: !state.isPrivate } : state.tokens.get(tokenIn(authorization))

  const refuseGit = (request: IncomingMessage): Answer | undefined => {
    const { authorization } = request.headers
    const rights = tokenRights(authorization)
    const isPush = request.url?.includes('receive-pack')
    const challenge = { 'www-authenticate': 'Basic realm="GitHub"' }
    if (rights === undefined) return { status: 401, headers: challenge, body: 'Bad credentials' }
    if (authorization === undefined && (isPush || state.isPrivate)) return { status: 401, headers: challenge }
    if (state.isPrivate && !rights.mayRead) return { status: 404, body: 'Repository not found.' }
    if (isPush && !rights.mayPush) return { status: 403, body: `Permission to ${FULL}.git denied.` }
    return undefined
  }

  /** git-http-backend(1), a CGI program (RFC 3875). */
  const serveGit = async (request: IncomingMessage, response: ServerResponse) => {
    const [path = '', query = ''] = (request.url ?? '').split('?')
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: join(folder, 'hosted'),
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: path,
        QUERY_STRING: query,
        REQUEST_METHOD: request.method,
        REMOTE_USER: 'somebody',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'safe.directory',
        GIT_CONFIG_VALUE_0: '*',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    backend.stdin.on('error', () => undefined)
    request.pipe(backend.stdin)
    const chunks: Buffer[] = []
    for await (const chunk of backend.stdout) chunks.push(chunk)
    const all = Buffer.concat(chunks)
    const end = all.indexOf('\r\n\r\n')
    const headers = all
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])
    const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200'
    if (path.endsWith('/git-receive-pack') && state.after?.('push')) return request.socket.destroy()
    for (const [name, value] of headers) if (name !== 'Status') response.setHeader(name, value)
    response.writeHead(Number.parseInt(status, 10)).end(all.subarray(end + 4))
  }

  const branchSha = (branch: string) => git('rev-parse', '--verify', '--quiet', `refs/heads/${branch}`)
  const has = (branch: string) => {
    try {
      return branchSha(branch) !== ''
    } catch {
      return false
    }
  }

  const createPull = async (body: Record<string, string>): Promise<Answer> => {
    const { title, head = '', base = '' } = body
    if (!title) return invalid({ code: 'missing_field', field: 'title' })
    if (title.length > 256)
      return invalid({
        code: 'custom',
        field: 'title',
        message: 'title is too long (maximum is 256 characters)',
      })
    const branch = head.replace(`${OWNER}:`, '')
    if (!has(branch)) return invalid({ field: 'head', code: 'invalid' })
    if (!has(base)) return invalid({ field: 'base', code: 'invalid' })
    if (pulls.some((pull) => pull.state === 'open' && pull.head.ref === branch && pull.base.ref === base))
      return invalid({ code: 'custom', message: `A pull request already exists for ${OWNER}:${branch}.` })
    if (git('rev-list', '--count', `${base}..${branch}`) === '0')
      return invalid({ code: 'custom', message: `No commits between ${base} and ${branch}` })
    const number = pulls.length + 1
    const pull: Pull = {
      number,
      title,
      body: body.body ?? null,
      state: 'open',
      html_url: `https://code.example/${FULL}/pull/${number}`,
      head: { label: `${OWNER}:${branch}`, ref: branch, sha: branchSha(branch), repo: { full_name: FULL } },
      base: { ref: base },
    }
    pulls.push(pull)
    return state.after?.('pull') ?? { status: 201, body: pull }
  }

  const listPulls = (query: URLSearchParams): Answer => {
    const wanted = query.get('state') ?? 'open'
    const head = query.get('head')
    const found = pulls.filter(
      (pull) => (wanted === 'all' || pull.state === wanted) && (head === null || pull.head.label === head),
    )
    return { status: 200, body: found.toReversed() }
  }

  const repositoryAnswer = (rights: TokenRights): Answer => {
    const permissions = { admin: false, push: rights.mayPush ?? false, pull: true }
    const body = { full_name: FULL, private: state.isPrivate, default_branch: 'main', permissions }
    return { status: 200, body }
  }

  const servePulls = async (request: IncomingMessage, rights: TokenRights, query: URLSearchParams) => {
    if (request.method === 'GET') return listPulls(query)
    if (request.headers.authorization === undefined) return refusal(401, 'Requires authentication')
    if (!rights.mayPush) return refusal(403, 'Resource not accessible by integration')
    return createPull(JSON.parse(await text(request)))
  }

  /** An issue, its comments, and new ones. */
  const serveIssue = async (
    request: IncomingMessage,
    issue: number,
    isOfComments: boolean,
  ): Promise<Answer> => {
    const html_url = `https://code.example/${FULL}/issues/${issue}`
    const theirs = comments.filter((comment) => comment.issue === issue)
    const commentView = ({ id, body }: { id: number; body: string }) => ({
      id,
      body,
      user: { login: 'octo' },
      html_url: `${html_url}#issuecomment-${id}`,
    })
    if (!isOfComments)
      return { status: 200, body: { number: issue, title: 'An issue', html_url, comments: theirs.length } }
    if (request.method === 'GET') return { status: 200, body: theirs.map(commentView) }
    if (request.headers.authorization === undefined) return refusal(401, 'Requires authentication')
    const comment = { issue, id: comments.length + 1, body: JSON.parse(await text(request)).body }
    comments.push(comment)
    return { status: 201, body: commentView(comment) }
  }

  const serveApi = async (
    request: IncomingMessage,
    path: string,
    query: URLSearchParams,
  ): Promise<Answer> => {
    const rights = tokenRights(request.headers.authorization)
    if (rights === undefined) return refusal(401, 'Bad credentials')
    if (state.isPrivate && !rights.mayRead) return refusal(404, 'Not Found')
    const what = `${request.method} ${path}`
    if (what === `GET /repos/${FULL}`) return repositoryAnswer(rights)
    if (path === `/repos/${FULL}/pulls`) return servePulls(request, rights, query)
    const [, issue, ofComments] = /^\/repos\/owner\/repo\/issues\/(\d+)(\/comments)?$/.exec(path) ?? []
    if (issue !== undefined) return serveIssue(request, Number(issue), ofComments !== undefined)
    return refusal(404, 'Not Found')
  }

  const scopesHeader = (authorization: string | undefined) => {
    const scopes = tokenRights(authorization)?.scopes
    return scopes === undefined ? {} : { 'x-oauth-scopes': scopes }
  }

  const send = (request: IncomingMessage, response: ServerResponse, answer: Answer) => {
    if (answer === 'lost') return void request.socket.destroy()
    const { status, body, headers } = answer
    const isText = typeof body === 'string'
    const type = isText ? 'text/plain' : 'application/json; charset=utf-8'
    response.writeHead(status, {
      'content-type': type,
      ...scopesHeader(request.headers.authorization),
      ...headers,
    })
    response.end(isText ? body : body === undefined ? '' : JSON.stringify(body))
  }

  const listen = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request
    const { pathname, searchParams } = new URL(url, 'http://host')
    heard.push({ method, path: url, authorization: headers.authorization })
    const fault = state.fault?.(method, pathname)
    if (fault) return send(request, response, fault)
    if (pathname.startsWith('/api/v3/user') && state.people !== undefined) {
      const answer = await fetch(`${state.people}${pathname.slice('/api/v3'.length)}`, {
        headers: { authorization: headers.authorization ?? '' },
      })
      return send(request, response, { status: answer.status, body: await answer.json() })
    }
    if (pathname.startsWith('/api/v3/')) {
      const api = pathname.slice('/api/v3'.length)
      return send(request, response, await serveApi(request, api, searchParams))
    }
    if (!pathname.startsWith(`/${FULL}.git/`))
      return send(request, response, { status: 404, body: 'Not Found' })
    const refused = refuseGit(request)
    return refused ? send(request, response, refused) : serveGit(request, response)
  }

  const [secure, plain] = [
    createServer(tls, (request, response) => void listen(request, response)),
    createPlainServer((request, response) => void listen(request, response)),
  ]
  const resetApi = () => {
    pulls.length = 0
    comments.length = 0
    heard.length = 0
    const rights = new Map(Object.entries(tokens))
    Object.assign(state, { isPrivate, tokens: rights, fault: undefined, after: undefined })
  }

  const [{ port, stop }, api] = [await onLoopback(secure), await onLoopback(plain)]
  return Object.assign(state, {
    caFile,
    heard,
    pulls,
    comments,
    git,
    port,
    origin: `https://127.0.0.1:${port}`,
    apiUrl: `${api.url}/api/v3`,
    /** The branches with their commits. */
    branches: () => git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n'),
    /** Puts a commit of somebody else on a branch, which is made where it is not there. */
    commit: (branch: string, { email = 'b@example.com', message = 'Theirs' } = {}) => {
      const parent = has(branch) ? branchSha(branch) : branchSha('main')
      const as = ['-c', `user.email=${email}`]
      const made = git(...as, 'commit-tree', `${parent}^{tree}`, '-p', parent, '-m', message)
      git('update-ref', `refs/heads/${branch}`, made)
      return made
    },
    /** A commit of a person with another content of a file, on a branch that `from` begins where it is new. */
    change: (branch: string, path: string, content: string, from = branch) => {
      const parent = branchSha(from)
      const piped = (input: string, ...args: string[]) =>
        execFileSync('git', ['-C', bare, ...args], { input, encoding: 'utf8' }).trim()
      const blob = piped(content, 'hash-object', '-w', '--stdin')
      const others = git('ls-tree', parent)
        .split('\n')
        .filter((line) => !line.endsWith(`\t${path}`))
      const tree = piped([...others, `100644 blob ${blob}\t${path}`, ''].join('\n'), 'mktree')
      const made = git('commit-tree', '-p', parent, '-m', `Change ${path}`, tree)
      git('update-ref', `refs/heads/${branch}`, made)
      return made
    },
    /** As it was started, but for the branches. */
    resetApi,
    /** As it was started. */
    reset: () => {
      for (const branch of git('for-each-ref', '--format=%(refname)', 'refs/heads').split('\n'))
        if (branch !== 'refs/heads/main') git('update-ref', '-d', branch)
      git('config', 'core.hooksPath', '/dev/null')
      resetApi()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([stop(), api.stop()])
    },
  })
}

export type TestCodeHost = Awaited<ReturnType<typeof startCodeHost>>
