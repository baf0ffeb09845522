import { mkdir, realpath, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Commands } from '../../ports/command.ts'
import type { Git } from '../../ports/git.ts'
import type { Workspace, Workspaces } from '../../ports/workspace.ts'
import { workspaceFiles } from './workspace-files.ts'
import { searchIn } from './workspace-search.ts'

type Needs = {
  /** WORKSPACES_DIR. */
  dir: string
  clock: Clock
  commands: Commands
  git: Git
  commandTimeoutMs?: number
}

const MOST_OUTPUT = 64 * 1_024

const checked = (name: string): string => {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(name)) return name
  throw new Problem('invalid', 'workspace_name_invalid', 'A workspace is named with letters, digits, - and _')
}

/**
 * Workspaces as folders: `<dir>/<name>/work` is the root, `<dir>/<name>/home` the home of its commands. The folder's
 * own time of change is when it was last opened, which `sweepWorkspaces` goes by.
 */
export const createWorkspaces = ({
  dir,
  clock,
  commands,
  git,
  commandTimeoutMs = 120_000,
}: Needs): Workspaces => {
  const workspaceAt = (root: string, home: string): Workspace => {
    const files = workspaceFiles(root)
    const where = { cwd: root, home }
    return {
      root,
      home,
      ...files,
      async search(request) {
        const at = await files.locate(request.path)
        if (at === undefined)
          throw new Problem('invalid', 'path_outside', `${request.path} is outside the workspace`)
        return searchIn(commands, { root, home, at: at === '.' ? at : `./${at}` }, request)
      },
      run(file, args, signal) {
        const limits = { timeoutMs: commandTimeoutMs, maxBytes: MOST_OUTPUT, signal }
        return commands.run({ file, args, ...where, ...limits })
      },
      git: (args, signal) => git.run({ args, ...where, signal }),
    }
  }

  const open = async (name: string): Promise<Workspace> => {
    const folder = join(dir, checked(name))
    await mkdir(join(folder, 'work'), { recursive: true })
    await mkdir(join(folder, 'home'), { recursive: true })
    const now = clock.now() / 1_000
    await utimes(folder, now, now)
    const real = await realpath(folder)
    return workspaceAt(join(real, 'work'), join(real, 'home'))
  }

  const create = async (name: string): Promise<Workspace> => {
    await rm(join(dir, checked(name)), { recursive: true, force: true, maxRetries: 2 })
    return open(name)
  }

  return { create, open }
}
