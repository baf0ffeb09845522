import { randomUUID } from 'node:crypto'
import { mkdir, readFile, realpath, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Problem } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Workspace, Workspaces } from '../../ports/workspace.ts'
import type { Commands, Owners } from './command.ts'
import type { Git } from './git.ts'
import { keepObjects, makeFolder } from './own-git.ts'
import { workspaceArchive } from './workspace-archive.ts'
import { makeBelow, workspaceFiles, writeBelow } from './workspace-files.ts'
import { refuseEndlessFiles } from './workspace-pipes.ts'
import { searchIn } from './workspace-search.ts'
import { removeFolder } from './workspace-sweep.ts'
import { applyPatch, workspaceTree } from './workspace-tree.ts'

type Needs = {
  dir: string
  clock: Clock
  commands: Pick<Commands, 'run'>
  git: Git
  /** The owners of files and folders, so that programs can write to them; absent: the service's own user. */
  owners?: Owners | undefined
  commandTimeoutMs?: number
}

const parts = ['work', 'home', 'tmp'] as const
const MOST_OUTPUT = 64 * 1_024

const checked = (name: string): string => {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(name)) return name
  throw new Problem('invalid', 'workspace_name_invalid', 'A workspace is named with letters, digits, - and _')
}

/** A pipe in the place of a file would block a program that opens it. */
const refuseSpecial = async (place: string, path: string): Promise<void> => {
  const stats = await stat(place).catch(() => undefined)
  if (stats === undefined) throw new Problem('invalid', 'path_missing', `${path} does not exist`)
  if (!stats.isFile() && !stats.isDirectory())
    throw new Problem('invalid', 'path_unfit', `${path} is not a regular file`)
}

/**
 * Workspaces as folders of `<dir>/<name>`: `work` is the root, `home` and `tmp` are for its commands, `own` is the home of the
 * service's commands, `kept` has the objects of its repository after the checkout, and `mark` is a file with its mark. The
 * folder's change time is the time of its last opening, which `sweepWorkspaces` reads.
 */
export const createWorkspaces = ({
  dir,
  clock,
  commands,
  git,
  owners,
  commandTimeoutMs = 120_000,
}: Needs): Workspaces => {
  const workspaceAt = (folder: string): Workspace => {
    const [root = '', home = '', tmp = ''] = parts.map((part) => join(folder, part))
    const place = { root, own: join(folder, 'own'), kept: join(folder, 'kept') }
    const hold = async () => owners?.take(folder)
    const files = workspaceFiles(root, { owner: hold })
    const where = { cwd: root, home, tmp }

    return {
      root,
      home,
      tmp,
      ...files,
      async writeTemporary(name, text) {
        const [below, owner] = [`for-${randomUUID()}`, await hold()]
        await makeBelow(tmp, below, owner)
        return writeBelow(join(tmp, below), name, text, owner)
      },
      async search(request) {
        const at = await files.locate(request.path)
        if (at === undefined)
          throw new Problem('invalid', 'path_outside', `${request.path} is outside the workspace`)
        await refuseSpecial(join(root, at), request.path)
        await refuseEndlessFiles(root)
        await hold()
        return searchIn(commands, { ...where, at: at === '.' ? at : `./${at}` }, request)
      },
      async run(file, args, signal) {
        await hold()
        const limits = { timeoutMs: commandTimeoutMs, maxBytes: MOST_OUTPUT, signal }
        return commands.run({ file, args, by: 'agent', ...where, writes: [root, home, tmp], ...limits })
      },
      async git(args, signal) {
        await refuseEndlessFiles(root)
        await hold()
        return git.run({ args, by: 'agent', ...where, signal })
      },
      keepObjects: async () => keepObjects(place, await hold()),
      tree: async (commit, except, signal) =>
        workspaceTree({ git, owner: await hold() }, place, commit, except, signal),
      applyPatch: async (commit, patch, signal) =>
        applyPatch({ git, owner: await hold() }, place, { commit, patch }, signal),
    }
  }

  const folderFor = async (name: string): Promise<string> => {
    const checkedName = checked(name)
    await mkdir(dir, { recursive: true })
    return join(await realpath(dir), checkedName)
  }

  const open = async (name: string): Promise<Workspace> => {
    const folder = await folderFor(name)
    const owner = await owners?.take(folder)
    for (const part of parts) await makeFolder(join(folder, part), owner)
    const now = clock.now() / 1_000
    await utimes(folder, now, now)
    return workspaceAt(folder)
  }

  const remove = async (name: string): Promise<void> => {
    const folder = await folderFor(name)
    await owners?.release(folder)
    await removeFolder(folder)
  }

  const create = async (name: string): Promise<Workspace> => {
    await remove(name)
    return open(name)
  }

  /** The archive of a workspace in which no program of the agent is running. */
  const openArchive = async (name: string) => {
    const { root } = await open(name)
    const folder = dirname(root)
    const [own, owner] = [join(folder, 'own'), await owners?.take(folder)]
    await removeFolder(own)
    await makeFolder(own, owner)
    const remake = async () => {
      await removeFolder(root)
      await makeFolder(root, owner)
    }
    return { own, remake, ...workspaceArchive(commands, { root, own, owner }) }
  }

  const pack: Workspaces['pack'] = async (name, signal) => {
    const { own, pack } = await openArchive(name)
    return pack(signal).finally(() => removeFolder(own))
  }

  const unpack = async (name: string, packed: string | undefined, signal: AbortSignal): Promise<void> => {
    const { own, remake, unpack } = await openArchive(name)
    await remake()
    if (packed !== undefined) await unpack(packed, signal).finally(() => removeFolder(own))
  }

  const markFile = (name: string): string => join(dir, checked(name), 'mark')
  const marked = (name: string): Promise<string | undefined> =>
    readFile(markFile(name), 'utf8').catch(() => undefined)
  const mark = async (name: string, text: string | undefined): Promise<void> => {
    const file = markFile(name)
    if (text === undefined) return rm(file, { force: true })
    // A process that dies while it writes leaves the earlier mark whole.
    const draft = `${file}-${randomUUID()}`
    await writeFile(draft, text, { mode: 0o600 })
    await rename(draft, file)
  }

  return { create, open, remove, pack, unpack, marked, mark }
}
