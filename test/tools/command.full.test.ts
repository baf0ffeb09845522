import { spawn } from 'node:child_process'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { awaitText, createWorkbench, never, stubbornScript, type Workbench } from '../fakes/workbench.ts'

/** Keeps this process from everything else. */
const spinFor = (ms: number) => {
  for (const until = performance.now() + ms; performance.now() < until; );
}

const stillBeating = async (file: string): Promise<boolean> => {
  const before = (await stat(file)).size
  await sleep(300)
  return (await stat(file)).size > before
}

describe.each([
  ['plain', false],
  ['in a sandbox', true],
])('a command, %s', (_, sandboxed) => {
  let bench: Workbench
  beforeAll(async () => {
    bench = await createWorkbench({ sandboxed })
    if (sandboxed && 'cause' in bench.found)
      console.error(`NO SANDBOX: these tests ran plain (${bench.found.cause})`)
  })
  afterAll(() => bench[Symbol.asyncDispose]())

  const run = async (name: string, script: string, signal: AbortSignal, timeoutMs = 20_000) => {
    const { root, home } = await bench.workspaces.create(name)
    await writeFile(join(root, 'script.mjs'), script)
    const where = { cwd: root, home, writes: [root, home] }
    const limits = { timeoutMs, maxBytes: 1_000, signal }
    const program = { file: 'node', args: ['script.mjs'], by: 'agent' } as const
    return { result: bench.commands.run({ ...program, ...where, ...limits }), beat: join(root, 'beat.txt') }
  }

  it('is gone after an abort, a grandchild that ignores SIGTERM too', async () => {
    const controller = new AbortController()
    const reason = new Error('cancelled')
    const { result, beat } = await run('abort', stubbornScript(false), controller.signal)
    const ended = expect(result).rejects.toBe(reason)
    await awaitText(beat)
    controller.abort(reason)
    await ended
    expect(await stillBeating(beat)).toBe(false)
  })

  it('is gone after its time-out', async () => {
    const { result, beat } = await run('timeout', stubbornScript(false), never, 700)
    expect(await result).toMatchObject({ exitCode: null, timedOut: true })
    expect(await stillBeating(beat)).toBe(false)
  })

  it('leaves nothing running when it ends by itself', async () => {
    const leave = stubbornScript(false).replace(
      'setInterval(() => undefined, 1000)',
      'setTimeout(() => process.exit(0), 700)',
    )
    const { result, beat } = await run('leave', leave, never)
    expect(await result).toMatchObject({ exitCode: 0 })
    expect(await stillBeating(beat)).toBe(false)
  })

  it.each([
    ['a program that is not there', 'no-such-program', []],
    ['a file that may not be run', './script.mjs', []],
    ['a name that reads as a variable', 'A=B', ['true']],
  ])('answers 127 for %s', async (_name, file, args) => {
    const { root, home } = await bench.workspaces.create('missing')
    await writeFile(join(root, 'script.mjs'), '')
    const where = { cwd: root, home, writes: [root, home], timeoutMs: 20_000, maxBytes: 1_000, signal: never }
    const result = await bench.commands.run({ file, args, by: 'agent', ...where })
    expect(result).toMatchObject({
      exitCode: 127,
      stderr: `${file}: no such program, or it is not executable`,
    })
  })

  it('may end in peace when it is told to', async () => {
    const script = `
      import { appendFileSync } from 'node:fs'
      process.on('SIGTERM', () => (appendFileSync('beat.txt', ' in peace'), process.exit(0)))
      appendFileSync('beat.txt', 'started'); setInterval(() => undefined, 1_000)`
    const { result, beat } = await run('peace', script, never, 1_500)
    expect(await result).toMatchObject({ exitCode: null, timedOut: true })
    expect(await awaitText(beat)).toBe('started in peace')
  })

  // The end of one child has all children asked for theirs, also one whose pipe was not looked at since it printed.
  it('keeps what it printed when this process was busy around its end', async () => {
    const { result } = await run('busy', 'setTimeout(() => console.log("printed"), 1_500)', never)
    const other = spawn('echo', ['x'])
    other.stdout.once('data', () => spinFor(3_000))
    other.once('exit', () => spinFor(500))
    spinFor(500)
    expect(await result).toMatchObject({ exitCode: 0, stdout: 'printed\n' })
  })

  it('does not start once aborted', async () => {
    const { result } = await run('late', 'process.exit(0)', AbortSignal.abort(new Error('too late')))
    await expect(result).rejects.toThrow('too late')
  })
})
