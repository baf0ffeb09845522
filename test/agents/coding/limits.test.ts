import { describe, expect, it } from '@jest/globals'
import { cloneFailure, workspaceFailure } from '../../../lib/adapters/agents/repository/git-failures.ts'
import { namedLimit } from '../../../lib/adapters/node/command-watch.ts'
import { createAgentOn } from '../../fakes/coding-agent.ts'
import { createScriptedModels } from '../../fakes/scripted-models.ts'
import { createWorkbench, limits } from '../../fakes/workbench.ts'
import { makeSource } from './source.ts'

const ANSWER = [{ text: 'Done' }]

describe('a clone that exceeds a limit', () => {
  it.each([
    ['a large file', 'head -c 40000000 /dev/urandom > large'],
    ['several files', 'for n in 1 2 3 4 5 6 7 8; do head -c 5000000 /dev/urandom > $n; done'],
  ])('names the limit of disk space, and is not tried again: %s', async (_title, script) => {
    await using bench = await createWorkbench({ sandboxed: true, limits: { diskMb: 16 } })
    // Without one, disk space is measured at intervals, and a short clone ends before.
    if ('cause' in bench.found)
      return console.error(`SKIPPED: no sandbox is available (${bench.found.cause})`)
    const repository = makeSource(bench, script)
    const failing = createAgentOn(bench, createScriptedModels(ANSWER)).run({ repository })
    await expect(failing).rejects.toMatchObject({
      code: 'clone_failed',
      retryable: false,
      message: expect.stringMatching(/failed: it used more than 16 MiB of disk \(AGENT_DISK_MB\)$/),
    })
  })
})

describe('a run whose files are too large to be read', () => {
  it('counts, and says so', async () => {
    await using bench = await createWorkbench({ sandboxed: true, limits: { diskMb: 16 } })
    if ('cause' in bench.found)
      return console.error(`SKIPPED: no sandbox is available (${bench.found.cause})`)
    const write = (name: string) =>
      `require('fs').writeFileSync('${name}', require('crypto').randomBytes(12_000_000))`
    const large = ['a', 'b'].map((name) => ({
      calls: [
        { name: 'write_file', arguments: { path: `${name}.js`, content: write(name) } },
        { name: 'run_command', arguments: { command: 'node', args: [`${name}.js`] } },
      ],
    }))
    const { run, progress } = createAgentOn(bench, createScriptedModels([...large, ...ANSWER]))
    const result = await run()
    expect(result).toMatchObject({
      success: true,
      output: 'Done',
      filesChanged: [],
      diff: '',
      leftOut: [{ path: '.', reason: 'unreadable' }],
    })
    expect(progress.at(-1)).toMatch(/^The changes could not be read: .*16 MiB of disk \(AGENT_DISK_MB\)$/)
  })
})

describe('an exceeded limit', () => {
  const result = { exitCode: 128, stdout: '', stderr: '', truncated: false, timedOut: false }
  it.each([
    ['fatal: write error: File too large', 128, 'disk'],
    ['', 153, 'disk'],
    ['fatal: Out of memory, malloc failed (tried to allocate 9 bytes)', 128, 'memory'],
    ['fatal: mmap failed: Cannot allocate memory', 128, 'memory'],
    ['fatal: not a git repository', 128, undefined],
  ])('is read from what a program says: %j', (stderr, exitCode, limit) => {
    expect(namedLimit({ exitCode, stderr }, limits)?.limit).toBe(limit)
  })

  it.each([
    ['time', { timedOut: true }, 'it took longer than 5 minutes', true],
    ['memory', { exceeded: { limit: 'memory', message: 'it used more' } }, 'it used more', false],
    ['processes', { exceeded: { limit: 'processes', message: 'it ran more' } }, 'it ran more', false],
    ['nothing', {}, 'git ended without a message', true],
  ] as const)('is said by the error of a clone: %s', (_limit, how, message, retryable) => {
    const failure = cloneFailure('x', { ...result, ...how }, 300_000)
    expect([failure.message, failure.retryable]).toEqual([`Cloning x failed: ${message}`, retryable])
  })
})

describe('an error of git', () => {
  const result = { exitCode: 128, stdout: '', truncated: false, timedOut: false }
  it.each([
    [
      "fatal: Unable to create '/data/my work/.git/index.lock': File exists",
      'fatal: Unable to create …: File exists',
    ],
    ['error: /data/a/b: failed to insert', 'error: …: failed to insert'],
    ["fatal: unable to access 'https://host/a/b': odd", "fatal: unable to access 'https://host/a/b': odd"],
  ])('names no path of the machine: %s', (stderr, said) => {
    const failures = [
      cloneFailure('x', { ...result, stderr }, 1),
      workspaceFailure('checkout', { ...result, stderr }, 1),
    ]
    expect(failures.map(({ message }) => message)).toEqual([
      `Cloning x failed: ${said}`,
      `git checkout failed: ${said}`,
    ])
  })
})
