import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createCodeHost } from '../../lib/adapters/code-host/code-host.ts'
import { createProviderFetch } from '../../lib/adapters/node/provider-fetch.ts'
import { startCodeHost, type TestCodeHost } from '../fakes/code-host.ts'
import { codeHostContract, failing, wanted } from './code-host.ts'

const account = { token: 'gho_token', scopes: [] }
const API = '/api/v3/repos/owner/repo'

const start = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'code-host-'))
  const host = await startCodeHost(folder, {
    tokens: { gho_token: { scopes: 'repo', mayRead: true, mayPush: true } },
  })
  const close = async () => {
    await host[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  }
  return { host, close }
}

const NOW_MS = Date.UTC(2026, 0, 1)
/** With a clock on which no wait takes time. */
const codeHostAt = (host: TestCodeHost, waits: number[] = []) => {
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

codeHostContract('GitHub', async () => {
  const { host, close } = await start()
  return { host, close, account, api: API, codeHost: () => codeHostAt(host) }
})

describe('GitHub', () => {
  let host: TestCodeHost
  let close: () => Promise<void>
  beforeAll(async () => {
    ;({ host, close } = await start())
    host.commit(wanted.branch)
  })
  afterAll(() => close())
  beforeEach(() => host.resetApi())

  it.each([
    [{ 'retry-after': '7' }, [7_000], true],
    [{ 'retry-after': '3600' }, [], false],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:04 GMT' }, [4_000], true],
    [{ 'x-ratelimit-remaining': '0' }, [], false],
  ])('is waited for as a limit says (%j), if that is short', async (headers, waited, isOpened) => {
    const waits: number[] = []
    failing(host, ['GET', `${API}/pulls`], () => ({ status: 403, headers, body: {} }), 1)
    const number = await codeHostAt(host, waits)
      .pullRequest(wanted, account)
      .then(
        (pull) => pull.number,
        (error: { code: string }) => error.code,
      )
    expect([number, waits]).toEqual([isOpened ? 1 : 'code_host_unavailable', waited])
  })

  it.each([
    ['repo, user:email', true, true],
    ['public_repo', true, false],
    ['public_repo', false, true],
    ['repo:status, read:user', false, false],
    ['', false, false],
    [undefined, true, true],
  ])('lets a repository be pushed to with scopes %j, private: %s: %s', async (scopes, isPrivate, mayPush) => {
    host.isPrivate = isPrivate
    host.tokens.set('gho_token', { mayRead: true, ...(scopes === undefined ? {} : { scopes }) })
    const found = await codeHostAt(host).repository(wanted.repository, account)
    expect(found).toEqual({ defaultBranch: 'main', mayPush })
  })
})
