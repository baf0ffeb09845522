import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Workspace } from '../../lib/ports/workspace.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { policySource } from '../fakes/policy.ts'
import { createWorkbench, toolsIn, type Workbench } from '../fakes/workbench.ts'
import {
  attackCommands,
  attackPaths,
  metacharacters,
  pathCalls,
  plantAttacks,
  secretCalls,
  secretPaths,
  shellCalls,
  shellLines,
} from './attacks.ts'

const SECRET = 'canary-5f1e'

let bench: Workbench
let workspace: Workspace
beforeAll(async () => {
  bench = await createWorkbench()
  workspace = await bench.workspaces.create('guarded')
  await plantAttacks(workspace.root, bench.folder, SECRET)
  await bench.git.run({
    args: ['init', '-q'],
    cwd: workspace.root,
    home: workspace.home,
    signal: AbortSignal.timeout(5_000),
  })
})
afterAll(() => bench[Symbol.asyncDispose]())

describe('the path-traversal guard', () => {
  it.each(attackPaths)('keeps every file tool from %j, in mode full', async (path) => {
    const call = toolsIn(bench, workspace)
    const outcomes = await Promise.all(pathCalls(path).map((made) => call(...made)))
    for (const { content, failed, decision } of outcomes) {
      expect({ failed, decision }).toEqual({ failed: true, decision: 'blocked' })
      expect(content).toMatch(/^Blocked by the path-traversal guard: /)
      expect(content).not.toContain(SECRET)
    }
  })

  it.each(attackCommands)('keeps commands from it: %s %j', async (command, args) => {
    const { content, decision } = await toolsIn(bench, workspace)('run_command', { command, args })
    expect(decision).toBe('blocked')
    expect(content).toMatch(/path-traversal/)
  })

  it.each(['src/app.ts', './src/app.ts', 'src//app.ts', 'src/./app.ts'])('lets %s through', async (path) =>
    expect(await toolsIn(bench, workspace)('read_file', { path })).toMatchObject({
      content: 'const a = 1\n',
      failed: false,
    }),
  )

  it('lets an absolute path inside the workspace through', async () => {
    const path = join(workspace.root, 'src/app.ts')
    expect(await toolsIn(bench, workspace)('read_file', { path })).toMatchObject({ failed: false })
  })

  it('leaves what looks like a path and is none alone', async () => {
    const args = [
      './...',
      'HEAD~1..HEAD',
      'mygit~1',
      '.gitignore',
      '.github/x',
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
  it.each(metacharacters)(
    'refuses %j in command, arguments and git arguments, in mode full',
    async (character) => {
      const call = toolsIn(bench, workspace)
      const outcomes = await Promise.all(shellCalls(character).map((made) => call(...made)))
      for (const { content, decision } of outcomes) {
        expect(decision).toBe('blocked')
        expect(content).toMatch(/^Blocked by the shell-injection guard: .*metacharacter/)
      }
    },
  )

  it.each(shellLines)('refuses a shell that is handed a line: %s %j', async (command, args) => {
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

describe('the secret-exfiltration guard', () => {
  it.each(secretPaths)('keeps file tools and commands from %s, in mode full', async (path) => {
    const call = toolsIn(bench, workspace)
    const outcomes = await Promise.all(secretCalls(path).map((made) => call(...made)))
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
    const call = toolsIn(bench, workspace, { clock, policy: policySource({ toolRateLimitPerMinute: 3 }) })
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
