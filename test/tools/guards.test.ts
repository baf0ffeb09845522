import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Workspace } from '../../lib/ports/workspace.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { policyOf } from '../fakes/policy.ts'
import { createWorkbench, toolsIn, type Workbench } from '../fakes/workbench.ts'

const SECRET = 'canary-5f1e'

let bench: Workbench
let workspace: Workspace
beforeAll(async () => {
  bench = await createWorkbench()
  workspace = await bench.workspaces.create('guarded')
  const inside = (path: string) => join(workspace.root, path)
  await writeFile(join(bench.folder, 'outside.txt'), SECRET)
  await mkdir(inside('src'))
  await writeFile(inside('src/app.ts'), 'const a = 1\n')
  await writeFile(inside('.env'), `TOKEN=${SECRET}\n`)
  await symlink(join(bench.folder, 'outside.txt'), inside('link.txt'))
  await symlink(bench.folder, inside('up'))
  await symlink(join(bench.folder, 'not-yet.txt'), inside('dangling.txt'))
  await symlink('circle', inside('circle'))
  await symlink('.env', inside('notes.txt'))
  await bench.git.run({
    args: ['init', '-q'],
    cwd: workspace.root,
    home: workspace.home,
    signal: AbortSignal.timeout(5_000),
  })
})
afterAll(() => bench[Symbol.asyncDispose]())

const attacks: readonly string[] = [
  '..',
  '../outside.txt',
  'src/../../outside.txt',
  'src/../src/app.ts',
  '%2e%2e/outside.txt',
  '%2e%2e%2foutside.txt',
  '..%2foutside.txt',
  '%252e%252e%252foutside.txt',
  '%25252e%25252e/outside.txt',
  '%c0%ae%c0%ae/outside.txt',
  '..%c0%afoutside.txt',
  '%u002e%u002e/outside.txt',
  '．．/outside.txt',
  '..／outside.txt',
  '‥/outside.txt',
  '.. /outside.txt',
  '..;/outside.txt',
  '..\\outside.txt',
  'src\\app.ts',
  'C:/Windows/win.ini',
  '/etc/passwd',
  '//etc/passwd',
  '/proc/self/environ',
  '/proc/1/environ',
  '/dev/zero',
  '~',
  '~/.bashrc',
  '~root/.bashrc',
  'src/app.ts\0.png',
  'src/app.ts\n',
  'link.txt',
  'up/outside.txt',
  'up',
  'dangling.txt',
  'circle',
  '.git/config',
  '.GIT/hooks/pre-commit',
  'src/.git/config',
]

describe('the path-traversal guard', () => {
  it.each(attacks)('keeps every file tool from %j, in mode full', async (path) => {
    const call = toolsIn(bench, workspace)
    const outcomes = await Promise.all([
      call('read_file', { path }),
      call('list_files', { path }),
      call('write_file', { path, content: 'x' }),
      call('edit_file', { path, oldText: SECRET, newText: 'x' }),
      call('search_files', { path, query: 'canary' }),
    ])
    for (const { content, failed, decision } of outcomes) {
      expect({ failed, decision }).toEqual({ failed: true, decision: 'blocked' })
      expect(content).toMatch(/^Blocked by the path-traversal guard: /)
      expect(content).not.toContain(SECRET)
    }
  })

  it.each([
    ['cat', ['../outside.txt']],
    ['cat', ['--file=../outside.txt']],
    ['cat', ['-f../outside.txt']],
    ['cat', ['x:../outside.txt']],
    ['cat', ['@../outside.txt']],
    ['cat', ['/etc/passwd']],
    ['cat', ['--file=/etc/passwd']],
    ['cat', ['-I/etc/passwd']],
    ['cat', ['file:///etc/passwd']],
    ['cat', ['a b /etc/passwd']],
    ['cat', ['~/x']],
    ['cat', ['link.txt']],
    ['cat', ['up/outside.txt']],
    ['/bin/cat', ['src/app.ts']],
    ['../cat', []],
    ['cat', ['.git/config']],
  ])('keeps commands from it: %s %j', async (command, args) => {
    const { content, decision } = await toolsIn(bench, workspace)('run_command', { command, args })
    expect(decision).toBe('blocked')
    expect(content).toMatch(/path-traversal/)
  })

  it.each(['src/app.ts', './src/app.ts', 'src//app.ts', 'src/./app.ts'])('lets %s through', async (path) => {
    expect(await toolsIn(bench, workspace)('read_file', { path })).toMatchObject({
      content: 'const a = 1\n',
      failed: false,
    })
  })

  it('lets an absolute path inside the workspace through', async () => {
    const path = join(workspace.root, 'src/app.ts')
    expect(await toolsIn(bench, workspace)('read_file', { path })).toMatchObject({ failed: false })
  })

  it('leaves what looks like a path and is none alone', async () => {
    const args = [
      './...',
      'HEAD~1..HEAD',
      'https://example.test/a/../b',
      '@babel/core',
      '--registry=https://example.test/',
    ]
    const { content } = await toolsIn(bench, workspace)('run_command', { command: 'echo', args })
    expect(content).toContain(args.join(' '))
  })
})

describe('the workspace itself', () => {
  it.each(['../outside.txt', '/etc/passwd', 'link.txt', 'up/outside.txt', 'dangling.txt'])(
    'refuses %s without any guard',
    async (path) => {
      await expect(workspace.read(path, 100)).rejects.toMatchObject({ code: 'path_outside' })
      await expect(workspace.write(path, 'x')).rejects.toMatchObject({ code: 'path_outside' })
      await expect(workspace.list(path, 10)).rejects.toMatchObject({ code: 'path_outside' })
    },
  )
})

describe('the shell-injection guard', () => {
  it.each([';', '&', '|', '`', '$', '(', ')', '<', '>', '\\', '\n', '\r', '\0'])(
    'refuses %j in command, arguments and git arguments, in mode full',
    async (character) => {
      const call = toolsIn(bench, workspace)
      const outcomes = await Promise.all([
        call('run_command', { command: `echo${character}x` }),
        call('run_command', { command: 'echo', args: ['a', `b${character}c`] }),
        call('git', { args: ['commit', '-m', `b${character}c`] }),
      ])
      for (const { content, decision } of outcomes) {
        expect(decision).toBe('blocked')
        expect(content).toMatch(/^Blocked by the shell-injection guard: .*metacharacter/)
      }
    },
  )

  it.each([
    ['sh', ['-c', 'ls']],
    ['/bin/bash', ['-lc', 'ls']],
    ['env', ['sh', '-c', 'ls']],
    ['timeout', ['5', 'bash', '-xc', 'ls']],
  ])('refuses a shell that is handed a line: %s %j', async (command, args) => {
    const { content } = await toolsIn(bench, workspace)('run_command', { command, args })
    expect(content).toMatch(/shell-injection/)
  })

  it('lets a file hold any of it', async () => {
    const content = 'a; b && c | `d` $(e) > f\n'
    expect(await toolsIn(bench, workspace)('write_file', { path: 'x.sh', content })).toMatchObject({
      failed: false,
    })
  })
})

const secrets: readonly string[] = [
  '.env',
  '.ENV',
  '.env.local',
  '.env.production',
  'prod.env',
  'src/.env',
  '.npmrc',
  '.netrc',
  '.git-credentials',
  '.ssh/config',
  '.aws/credentials',
  'id_rsa',
  'id_rsa.pub',
  'keys/id_ed25519',
  'server.pem',
  'server.key',
  'credentials',
  'credentials.json',
  'service-account-1.json',
  'notes.txt',
]

describe('the secret-exfiltration guard', () => {
  it.each(secrets)('keeps file tools and commands from %s, in mode full', async (path) => {
    const call = toolsIn(bench, workspace)
    const outcomes = await Promise.all([
      call('read_file', { path }),
      call('edit_file', { path, oldText: 'TOKEN', newText: 'x' }),
      call('search_files', { path, query: 'TOKEN' }),
      call('run_command', { command: 'cat', args: [path] }),
      call('run_command', { command: 'node', args: [`--env-file=${path}`, 'x.js'] }),
      call('git', { args: ['show', `HEAD:${path}`] }),
      call('git', { args: ['diff', '--', path] }),
    ])
    for (const { content, decision } of outcomes) {
      expect(decision).toBe('blocked')
      expect(content).toMatch(/^Blocked by the secret-exfiltration guard: /)
      expect(content).not.toContain(SECRET)
    }
  })

  it('keeps hits inside such files out of a search', async () => {
    await writeFile(join(workspace.root, 'server.KEY'), SECRET)
    await writeFile(join(workspace.root, 'plain.md'), `see ${SECRET}`)
    const { content } = await toolsIn(bench, workspace)('search_files', { query: SECRET })
    expect(content).toBe(`plain.md:1:see ${SECRET}`)
  })

  it('keeps their lines out of what git prints', async () => {
    const call = toolsIn(bench, workspace)
    await writeFile(join(workspace.root, 'plain.txt'), 'seen\n')
    await call('git', { args: ['add', '--all'] })
    await call('git', { args: ['commit', '-m', 'All'] })
    for (const args of [['show'], ['log', '-p'], ['log', '--graph', '-p'], ['show', '--no-prefix']]) {
      const { content, failed } = await call('git', { args })
      expect(failed).toBe(false)
      expect(content).toContain('+seen')
      expect(content).toContain('[not shown: may hold credentials]')
      expect(content).not.toContain(`TOKEN=${SECRET}`)
    }
  })

  it.each(['src/environment.ts', 'keyboard.ts', 'monkey.md', 'src/process.env'])(
    'leaves %s alone',
    async (path) => {
      expect(await toolsIn(bench, workspace)('read_file', { path })).toMatchObject({ decision: 'allowed' })
    },
  )
})

describe('the rate-limit guard', () => {
  it('refuses calls above the rate, in mode full, until a minute has passed', async () => {
    const clock = createFakeClock()
    const call = toolsIn(bench, workspace, { clock, policy: policyOf({ toolRateLimitPerMinute: 3 }) })
    const burst = await Promise.all(Array.from({ length: 5 }, () => call('list_files', {})))
    expect(burst.map(({ decision }) => decision).sort()).toEqual([
      'allowed',
      'allowed',
      'allowed',
      'blocked',
      'blocked',
    ])
    expect(burst.find(({ failed }) => failed)?.content).toMatch(
      /^Blocked by the rate-limit guard: More than 3 tool calls/,
    )
    clock.advance(60_000)
    expect(await call('list_files', {})).toMatchObject({ decision: 'allowed' })
  })

  it('counts 300 calls a minute when nothing else is said', async () => {
    const call = toolsIn(bench, workspace, { clock: createFakeClock() })
    const decisions = []
    for (let n = 0; n < 301; n += 1) decisions.push((await call('list_files', { path: 'src' })).decision)
    expect(decisions.indexOf('blocked')).toBe(300)
  })
})
