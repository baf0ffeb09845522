import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createCodeHost } from '../../lib/adapters/code-host/code-host.ts'
import { createProviderFetch } from '../../lib/adapters/node/provider-fetch.ts'
import { startCodeHost, type TestCodeHost } from '../fakes/code-host.ts'

const account = { token: 'gho_token', scopes: [] }
const API = '/api/v3/repos/owner/repo'

let folder: string
let host: TestCodeHost
let waits: number[]
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'code-host-'))
  host = await startCodeHost(folder, {
    tokens: { gho_token: { scopes: 'repo', mayRead: true, mayPush: true } },
  })
})
afterAll(async () => {
  await host[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})
beforeEach(() => {
  host.reset()
  host.commit('agent/task_1')
  waits = []
})

const NOW_MS = Date.UTC(2026, 0, 1)
/** With a clock on which no wait takes time. */
const codeHost = () => {
  const after = (ms: number, call: () => void) => {
    waits.push(ms)
    setImmediate(call)
    return () => undefined
  }
  return createCodeHost({
    apiUrl: host.apiUrl,
    fetch: createProviderFetch(),
    clock: { now: () => NOW_MS, after },
  })
}
const wanted = {
  repository: { owner: 'owner', name: 'repo' },
  ...{ branch: 'agent/task_1', base: 'main', title: 'Title', body: 'Body', isOwnBranch: true },
}
const open = (more = {}) => codeHost().pullRequest({ ...wanted, ...more }, account)
/** Answers so to requests of that method and path, the first times. */
const failing = (method: string, path: string, answer: NonNullable<TestCodeHost['fault']>, times = 99) => {
  let left = times
  host.fault = (asked, at) => (asked === method && at === path && left-- > 0 ? answer(asked, at) : undefined)
}

describe('a pull request', () => {
  it('is opened once, however often it is asked for, at once as well', async () => {
    const both = await Promise.all([open(), open()])
    expect([...both, await open()].map(({ number }) => number)).toEqual([1, 1, 1])
    expect(host.pulls).toMatchObject([{ title: 'Title', body: 'Body', base: { ref: 'main' } }])
  })

  it('that was closed is the one of a branch of its own, and of no other', async () => {
    await open()
    for (const pull of host.pulls) pull.state = 'closed'
    expect((await open()).number).toBe(1)
    expect((await open({ isOwnBranch: false })).number).toBe(2)
  })

  it('whose answer was lost is found', async () => {
    let lost = 0
    host.after = () => (lost++ === 0 ? 'lost' : undefined)
    expect(await open()).toMatchObject({ number: 1 })
    expect([lost, host.pulls.length]).toEqual([1, 1])
  })

  it('is none that the code host lists although it was asked for another', async () => {
    await open()
    const { pulls } = host
    failing('GET', `${API}/pulls`, () => ({ status: 200, body: pulls }), 1)
    host.commit('feature')
    expect((await open({ branch: 'feature' })).number).toBe(2)
  })

  it.each([
    ['POST', 403, 'code_host_forbidden'],
    ['POST', 404, 'code_host_forbidden'],
    ['POST', 422, 'pull_request_refused'],
    ['POST', 502, 'code_host_unavailable'],
    ['GET', 401, 'code_host_forbidden'],
    ['GET', 503, 'code_host_unavailable'],
    ['GET', 301, 'code_host_unavailable'],
  ])('that is answered %s %i is %s, in words of the service', async (method, status, code) => {
    failing(method, `${API}/pulls`, () => ({ status, body: { message: 'a word of the code host' } }))
    const thrown = await open().catch((error: unknown) => error)
    expect(thrown).toMatchObject({ code, message: expect.not.stringContaining('word of the code host') })
    expect(host.pulls).toEqual([])
  })

  it.each([
    [{ 'retry-after': '7' }, [7_000], true],
    [{ 'retry-after': '3600' }, [], false],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:04 GMT' }, [4_000], true],
    [{ 'x-ratelimit-remaining': '0' }, [], false],
  ])('waits as a limit says (%j), if that is short', async (headers, waited, isOpened) => {
    failing('GET', `${API}/pulls`, () => ({ status: 403, headers, body: {} }), 1)
    const number = await open().then(
      (pull) => pull.number,
      (error: { code: string }) => error.code,
    )
    expect([number, waits]).toEqual([isOpened ? 1 : 'code_host_unavailable', waited])
  })
})

describe('a repository', () => {
  it.each([
    ['repo, user:email', true, true],
    ['public_repo', true, false],
    ['public_repo', false, true],
    ['repo:status, read:user', false, false],
    ['', false, false],
    [undefined, true, true],
  ])('may be pushed to with scopes %j, private: %s: %s', async (scopes, isPrivate, mayPush) => {
    host.isPrivate = isPrivate
    host.tokens.set('gho_token', { mayRead: true, ...(scopes === undefined ? {} : { scopes }) })
    const found = await codeHost().repository(wanted.repository, account)
    expect(found).toEqual({ defaultBranch: 'main', mayPush })
  })
})
