import { execFileSync } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { startCodeHost, type TestCodeHost } from '../../fakes/code-host.ts'
import { call, edit, type Given, looking, runHosted, SECRET, TOKEN } from '../../fakes/hosted-run.ts'
import { createWorkbench, type Workbench } from '../../fakes/workbench.ts'

let bench: Workbench
let host: TestCodeHost
beforeAll(async () => {
  bench = await createWorkbench()
  host = await startCodeHost(await mkdtemp(join(bench.folder, 'host-')), {
    tokens: { [TOKEN]: { scopes: 'repo, user:email', mayRead: true, mayPush: true } },
  })
})
afterAll(async () => {
  await host[Symbol.asyncDispose]()
  await bench[Symbol.asyncDispose]()
})
beforeEach(() => host.reset())

const run = (given?: Given) => runHosted(bench, host, given)
const branchFiles = (branch: string) => host.git('ls-tree', '-r', '--name-only', branch).split('\n')
const fileAt = (branch: string, path: string) => host.git('show', `${branch}:${path}`)

describe('changes', () => {
  it('are pushed to the branch of the task as one commit, and a pull request is opened', async () => {
    const { published, progress } = await run({
      calls: [edit, call('write_file', { path: 'new/file.txt', content: 'x\n' })],
      output: 'Greets @everybody now, fixes #7 and GH-8',
      about: {
        title: 'Greet @all, closes #9',
        source: 'codehost',
        createdBy: 'webhook:codehost',
        sourceUrl: 'https://code.example/owner/repo/issues/3',
      },
    })
    const pullRequest = { number: 1, url: 'https://code.example/owner/repo/pull/1' }
    expect(published).toEqual({ status: 'published', branch: 'agent/task_1', pullRequest })
    expect(host.branches()).toEqual(['agent/task_1', 'main'])
    expect(fileAt('agent/task_1', 'greeting.txt')).toBe('hello\neverybody')
    expect(branchFiles('agent/task_1')).toEqual(['greeting.txt', 'new/file.txt'])
    expect(host.git('rev-parse', 'agent/task_1^')).toBe(host.git('rev-parse', 'main'))
    const said = host.git('log', '-1', '--format=%B', 'agent/task_1')
    expect(said).toContain('Agent-Task: task_1')
    const [pull] = host.pulls
    expect(pull).toMatchObject({ base: { ref: 'main' }, head: { ref: 'agent/task_1' } })
    for (const text of [said, pull?.title, pull?.body]) expect(text).not.toMatch(/@\w|#\d|GH-\d/)
    expect(pull?.body).toContain('task_1, which came from <https://code.example/owner/repo/issues/3>')
    expect(progress).toContain('Pushing to agent/task_1')
    expect(progress.at(-1)).toBe('Pull request 1: https://code.example/owner/repo/pull/1')
  })

  it('of another attempt take the place of the first, in the same pull request', async () => {
    await run()
    const first = host.git('rev-parse', 'agent/task_1')
    const again = call('edit_file', { path: 'greeting.txt', oldText: 'world', newText: 'you' })
    const { published } = await run({ calls: [again], attempt: 2 })
    expect(published).toMatchObject({ status: 'published', pullRequest: { number: 1 } })
    expect(host.pulls).toHaveLength(1)
    expect(host.git('rev-parse', 'agent/task_1')).not.toBe(first)
    expect(fileAt('agent/task_1', 'greeting.txt')).toBe('hello\nyou')
    expect(host.git('rev-list', '--count', 'main..agent/task_1')).toBe('1')
  })

  it('build on commits of others that the branch had when the run began', async () => {
    const theirs = host.commit('agent/task_1')
    expect((await run()).published).toMatchObject({ status: 'published' })
    expect(host.git('rev-parse', 'agent/task_1^')).toBe(theirs)
  })

  it('overwrite no commit that came meanwhile, and say so', async () => {
    // As an attempt leaves it whose end was never stored.
    host.commit('agent/task_1', { email: 'agent@localhost', message: 'Greet\n\nAgent-Task: task_1' })
    let theirs = ''
    host.fault = (method, path) => {
      if (theirs === '' && method === 'GET' && path === '/api/v3/repos/owner/repo')
        theirs = host.commit('agent/task_1')
      return undefined
    }
    const { published, result, progress } = await run({ attempt: 2 })
    expect(result?.success).toBe(true)
    expect(published).toMatchObject({
      status: 'failed',
      branch: 'agent/task_1',
      error: { code: 'branch_moved' },
    })
    expect(progress.at(-1)).toContain('were not overwritten')
    expect(host.git('rev-parse', 'agent/task_1')).toBe(theirs)
  })

  it('of a branch that the task names come on top of it', async () => {
    const theirs = host.commit('feature')
    const { published } = await run({ about: { branch: 'feature' } })
    expect(published).toMatchObject({ status: 'published', branch: 'feature' })
    expect(host.git('rev-parse', 'feature^')).toBe(theirs)
  })

  it('go to another branch of the task where the code host has a branch called agent', async () => {
    host.commit('agent')
    for (const attempt of [1, 2])
      expect((await run({ attempt })).published).toMatchObject({
        status: 'published',
        branch: 'agent-task_1',
        pullRequest: { number: 1 },
      })
    expect(host.branches()).toEqual(['agent', 'agent-task_1', 'main'])
    expect(host.git('rev-list', '--count', 'main..agent-task_1')).toBe('1')
  })

  it('never go to the default branch', async () => {
    const before = host.git('rev-parse', 'main')
    const { published } = await run({ about: { branch: 'main' } })
    expect(published).toMatchObject({ status: 'published', branch: 'agent/task_1' })
    expect(host.git('rev-parse', 'main')).toBe(before)
  })

  it.each<[string, Given]>([
    ['the setting is off', { isWanted: false }],
    ['nothing was changed', { calls: [looking] }],
    ['the account was linked for reading alone', { scopes: ['read:user'] }],
    ['only files of credentials were changed', { calls: [looking], script: 'echo A=1 > .env' }],
  ])('are not published where %s', async (_title, given) => {
    const { result, published } = await run(given)
    expect([result?.success, published]).toEqual([true, undefined])
    expect(host.branches()).toEqual(['main'])
    expect(host.heard.filter(({ method, path }) => method === 'POST' && path.includes('receive'))).toEqual([])
  })

  it('are not published where the token turns out to allow no writing', async () => {
    host.tokens.set(TOKEN, { scopes: 'public_repo', mayRead: true, mayPush: true })
    expect((await run({ scopes: [] })).published).toBeUndefined()
    expect(host.branches()).toEqual(['main'])
  })

  it('leave out files of credentials, which the pull request names', async () => {
    await run({ script: 'echo A=1 > .env' })
    expect(branchFiles('agent/task_1')).toEqual(['greeting.txt'])
    expect(host.pulls[0]?.body).toContain('- .env')
  })

  const MANY_MIB = 'yes "$(printf %063d 0)" | head -c 9437184'
  it.each<[string, Given, string]>([
    [
      'a secret of the settings',
      { calls: [call('write_file', { path: 'a.txt', content: `${SECRET}\n` })] },
      'secret_in_changes',
    ],
    ['a file of that name', { script: `touch ${SECRET}` }, 'secret_in_changes'],
    [
      'more lines than are looked through, a secret among them',
      { script: `${MANY_MIB} > a.txt; echo ${SECRET} > z.txt` },
      'changes_too_large',
    ],
    [
      'a larger file with a secret at its end',
      { script: `(${MANY_MIB}; echo ${SECRET}) > greeting.txt` },
      'changes_too_large',
    ],
  ])('that hold %s are not pushed', async (_title, given, code) => {
    const { published, result } = await run({ calls: [looking], ...given })
    expect(result?.success).toBe(true)
    expect(published).toMatchObject({ status: 'failed', error: { code } })
    expect(host.branches()).toEqual(['main'])
  })

  it('that remove large files are pushed', async () => {
    const file = join(bench.folder, 'large.txt')
    await writeFile(file, 'word '.repeat(2_000_000))
    host.git('read-tree', 'main')
    host.git(
      'update-index',
      '--add',
      '--cacheinfo',
      `100644,${host.git('hash-object', '-w', file)},large.txt`,
    )
    const theirs = host.git('commit-tree', '-m', 'Large', '-p', 'main', host.git('write-tree'))
    host.git('update-ref', 'refs/heads/large', theirs)
    const { published } = await run({ about: { branch: 'large' }, calls: [looking], script: 'rm large.txt' })
    expect(published).toMatchObject({ status: 'published', branch: 'large' })
  })
})

describe('a failure to publish', () => {
  const api = '/api/v3/repos/owner/repo'
  const failing: [string, () => void, string][] = [
    [
      'of a token that may not push',
      () => host.tokens.set(TOKEN, { mayRead: true, scopes: 'repo' }),
      'push_forbidden',
    ],
    [
      'of a protected branch',
      () => {
        host.git('config', 'core.hooksPath', join(host.git('rev-parse', '--absolute-git-dir'), 'refusing'))
        const hooks = host.git('config', 'core.hooksPath')
        execFileSync('sh', [
          '-c',
          `mkdir -p ${hooks} && printf '#!/bin/sh\nexit 1\n' > ${hooks}/pre-receive && chmod +x ${hooks}/pre-receive`,
        ])
      },
      'push_refused',
    ],
    [
      'of a code host that is down',
      () => (host.fault = (_method, path) => (path.startsWith(`${api}/pulls`) ? { status: 502 } : undefined)),
      'code_host_unavailable',
    ],
  ]
  /** Where the branch was pushed, a person can make the pull request. */
  const PUSHED = 'code_host_unavailable'
  it.each(failing)('%s is told, and the task does not fail', async (_title, arrange, code) => {
    arrange()
    const { result, published, progress } = await run()
    expect(result?.success).toBe(true)
    expect(published).toMatchObject({ status: 'failed', branch: 'agent/task_1', error: { code } })
    expect(progress.at(-1)).toContain('The changes were not published: ')
    const compareUrl =
      code === PUSHED
        ? expect.stringMatching(/^https:\/\/[^/]+\/owner\/repo\/compare\/main\.\.\.agent\/task_1\?expand=1$/)
        : undefined
    expect(Object(published).compareUrl).toEqual(compareUrl)
    expect(host.branches().includes('agent/task_1')).toBe(code === PUSHED)
  })

  it('whose answer alone was lost, of a push, is none', async () => {
    let lost = 0
    host.after = (done) => (done === 'push' && lost++ === 0 ? 'lost' : undefined)
    expect((await run()).published).toMatchObject({ status: 'published', pullRequest: { number: 1 } })
    expect(lost).toBeGreaterThan(0)
  })
})
