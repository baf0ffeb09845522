import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe } from '@jest/globals'
import type { Program } from '../../lib/adapters/node/command.ts'
import { processUids } from '../../lib/adapters/node/user-processes.ts'
import type { Workspace } from '../../lib/ports/workspace.ts'
import { createWorkbench, never, type Workbench } from '../fakes/workbench.ts'

const isRoot = process.getuid?.() === 0
/** A suite for which the process has to be root. */
export const asRoot = isRoot ? describe : describe.skip
if (!isRoot) console.error('SKIPPED: only root can give programs users of their own')

/** The first user of the range: suites that run at once have one each, since a range is of one service. */
export const FIRST = 61_000 + 60 * Number(process.env.JEST_WORKER_ID ?? 1)
type Options = Parameters<typeof createWorkbench>[0]
/** Users for two workspaces at once, and one for commands without. */
export const openBench = async (last = FIRST + 2, options: Options = {}) => {
  const bench = await createWorkbench({ sharedFolders: [tmpdir()], ...options, uids: { first: FIRST, last } })
  if ('cause' in bench.found) throw new Error(bench.found.cause)
  return bench
}

export const running = (uid: number) =>
  readdirSync('/proc').filter((name) => /^\d+$/.test(name) && processUids(name).includes(uid))

export const shell = async (workspace: Workspace, script: string) => {
  const { stdout, stderr } = await workspace.run('sh', ['-c', script], never)
  return (stdout + stderr).trim()
}

export const uidIn = async (workspace: Workspace) => Number(await shell(workspace, 'id -u'))

/** A program of an agent that runs until it is stopped. */
export const openProgram = async (
  { commands }: Workbench,
  { root, home, tmp }: Workspace,
  script: string,
) => {
  const where = { cwd: root, home, tmp, writes: [root, home, tmp] }
  return commands.open({ file: 'sh', args: ['-c', script], by: 'agent', ...where, signal: never })
}

export const end = async (program: Program) => {
  program.stop()
  await program.ended
}
