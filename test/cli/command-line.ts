import { spawn } from 'node:child_process'
import * as path from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { main } from '../../lib/cli/main.ts'
import type { StartService } from '../../lib/cli/start.ts'
import { compiled } from '../fakes/compiled.ts'
import { type Exit, root, serviceNode } from '../journeys/service.ts'

type Here = { startService?: StartService; stdin?: PassThrough & { isTTY?: boolean } }

/** Runs a command in this process, with a terminal for its messages or without one. */
export const runHere = async (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  isTTY = false,
  { stdin = new PassThrough(), ...more }: Here = {},
) => {
  const stdout = new PassThrough()
  const stderr = Object.assign(new PassThrough(), { isTTY })
  const code = await main({ args, env, streams: { stdin, stdout, stderr }, ...more })
  return { code, stdout: await text(stdout.end()), stderr: await text(stderr.end()) }
}

type Run = Exit & { json: () => Record<string, unknown> }

/** The command as a child process that sees these variables and PATH alone. */
export const commandLine = (env: Readonly<Record<string, string>>) => {
  const start = (
    args: readonly string[],
    [program, ...first]: readonly [string, ...string[]] = [serviceNode],
  ) => {
    const child = spawn(program, [...first, path.join(root, 'bin/agent-tasks.js'), ...args], {
      cwd: root,
      env: { PATH: process.env.PATH, ...compiled, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 120_000,
    })
    const said = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text) => (said.stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text) => (said.stderr += text))
    const exited = new Promise<Run>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) =>
        resolve({ code, signal, ...said, json: () => oneLine(said.stdout) }),
      )
    })
    return { child, exited, said }
  }
  return { start, run: (...args: string[]) => start(args).exited }
}

/** What `--json` printed. Throws unless that is one line. */
const oneLine = (text: string): Record<string, unknown> => {
  if (!/^[^\n]+\n$/.test(text)) throw new Error(`Not one line: ${JSON.stringify(text)}`)
  return JSON.parse(text) as Record<string, unknown>
}
