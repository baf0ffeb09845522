import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createCommands, type Sandbox } from '../../lib/adapters/node/command.ts'
import type { CommandLimits } from '../../lib/adapters/node/command-watch.ts'
import type { ControlGroups } from '../../lib/adapters/node/control-groups.ts'
import type { Git } from '../../lib/adapters/node/git.ts'
import { createGit } from '../../lib/adapters/node/git.ts'
import { findSandbox } from '../../lib/adapters/node/sandbox.ts'
import { findUsers } from '../../lib/adapters/node/users-sandbox.ts'
import { createWorkspaces } from '../../lib/adapters/node/workspace.ts'
import type { SecurityMode } from '../../lib/core/security-mode.ts'
import type { ToolOutcome } from '../../lib/ports/tool.ts'
import type { Workspace } from '../../lib/ports/workspace.ts'
import { workspaceTools } from '../../lib/tools/catalog.ts'
import { createToolRunner } from '../../lib/tools/runner.ts'

const path = process.env.PATH ?? '/usr/bin:/bin'

export const limits: CommandLimits = { memoryMb: 4_096, processes: 512, diskMb: 4_096 }

type Options = {
  /** Whether commands run in a sandbox, if one works here. */
  sandboxed?: boolean
  /** Whether commands run as users of their own, which only root can give them; of this range. */
  uids?: { first: number; last: number }
  /** The folders that users share, in place of those of the system, in which much may lie. */
  sharedFolders?: readonly string[] | undefined
  limits?: Partial<CommandLimits>
  groups?: ControlGroups
  proxySocket?: string
  commandTimeoutMs?: number
}
type Found = { sandbox: Sandbox; close?: () => Promise<void> } | { cause: string }
type RunnerOptions = Partial<Parameters<typeof createToolRunner>[0]>

/** A temporary folder with real files, real processes and real git in it. */
export const createWorkbench = async ({ sandboxed = false, ...options }: Options = {}) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'workbench-')))
  const clock = createClock()
  const within = { ...limits, ...options.limits }
  const dir = join(folder, 'workspaces')
  const needs = { limits: within, proxySocket: options.proxySocket, hidden: [] }
  const { groups } = options
  const commandsIn = (sandbox: Sandbox) => createCommands({ path, limits: within, sandbox, groups })
  const find = async (): Promise<Found> => {
    if (!options.uids) return sandboxed ? findSandbox(needs, commandsIn) : { cause: 'not asked for' }
    // All users may pass to it, as to a folder of the system.
    await chmod(folder, 0o755)
    const { uids, sharedFolders } = options
    return findUsers({ ...needs, dir, uids, ...(sharedFolders && { sharedFolders }) }, commandsIn)
  }
  const found = await find()
  const sandbox = 'sandbox' in found ? found.sandbox : undefined
  const commands = createCommands({ path, limits: within, groups, ...(sandbox && { sandbox }) })
  const git = createGit({ commands })
  const workspaces = createWorkspaces({
    dir,
    clock,
    commands,
    git,
    owners: sandbox?.owners,
    ...(options.commandTimeoutMs && { commandTimeoutMs: options.commandTimeoutMs }),
  })
  const runner = (options: RunnerOptions = {}) =>
    createToolRunner({ tools: workspaceTools, clock, ...options })
  return {
    folder,
    dir,
    clock,
    commands,
    git,
    workspaces,
    runner,
    found,
    [Symbol.asyncDispose]: async () => {
      if ('sandbox' in found) await found.close?.()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
export type Workbench = Awaited<ReturnType<typeof createWorkbench>>

export const never = new AbortController().signal

/** Calls tools of a workspace by name. */
export const toolsIn = (
  bench: Workbench,
  workspace: Workspace,
  { mode = 'full' as SecurityMode, allowedTools = [] as string[], ...options }: RunnerOptions & Session = {},
) => {
  const toolbox = bench.runner(options)({ mode, workspace, userId: 'user_1', taskId: 'task_1', allowedTools })
  let calls = 0
  return (name: string, args: unknown, signal: AbortSignal = never): Promise<ToolOutcome> =>
    toolbox.call({ id: `call_${++calls}`, name, arguments: args }, signal)
}
type Session = { mode?: SecurityMode; allowedTools?: string[] }

/** Runs git for a test, in any folder; throws when it fails. */
export const gitIn = async (git: Git, cwd: string, ...args: string[]): Promise<string> => {
  const result = await git.run({ cwd, home: cwd, args, transports: ['file'], signal: never })
  if (result.exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${result.stderr}`)
  return result.stdout.trim()
}

/** The text of a file as soon as it holds any. */
export const awaitText = async (file: string): Promise<string> => {
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text !== '') return text
    await sleep(20)
  }
}

// A parent that waits and a grandchild, in a session of its own when asked, that both ignore SIGTERM; the grandchild
// writes a heartbeat to a file as long as it lives: a minute at most, should a test fail to end it.
export const stubbornScript = (detached: boolean) => `
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
process.on('SIGTERM', () => undefined)
setTimeout(() => process.exit(), 60_000)
if (process.argv[2] === 'beat') setInterval(() => appendFileSync('beat.txt', 'x'), 20)
else {
  spawn(process.execPath, [process.argv[1], 'beat'], { stdio: 'inherit', detached: ${detached} })
  setInterval(() => undefined, 1000)
}
`
