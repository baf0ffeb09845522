import { chmod, chown, copyFile, link, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '../../core/errors.ts'
import type { CommandResult, OwnGit } from '../../ports/workspace.ts'
import type { Git } from './git.ts'
import { entriesBelow, pathBelow } from './workspace-entries.ts'
import { makeBelow, removeBelow, writeBelow } from './workspace-files.ts'
import { removeFolder } from './workspace-sweep.ts'

/**
 * The folders of a workspace: `root` has its files, `own` is the home of the service's commands, and `kept` has the
 * objects of its repository as they were after the checkout. Programs of the agent see `root` alone.
 */
export type Place = { root: string; own: string; kept: string }
export type OwnGitNeeds = {
  git: Git
  /** The owner of files and folders, so that commands can read and write them; absent: the service's own user. */
  owner?: number | undefined
}

/** The error of a command on a workspace. It names an exceeded limit, and no path of this machine. */
export const workspaceFailed = (what: string, { exceeded, timedOut, stderr }: CommandResult) => {
  const why = exceeded?.message ?? (timedOut ? 'it took too long' : undefined)
  const message = why === undefined ? what : `${what}: ${why}`
  return new Problem('unavailable', 'workspace_failed', message, { cause: stderr })
}

const RIGHTS = 0o700
const READABLE = 0o755

/**
 * Makes a folder of a workspace, in one that belongs to the service, and gives its owner all rights to it, which a program
 * may have taken away.
 */
export const makeFolder = async (path: string, owner: number | undefined, rights = RIGHTS): Promise<void> => {
  await mkdir(path, { recursive: true })
  if (owner !== undefined) await chown(path, owner, owner)
  const { mode } = await stat(path)
  if ((mode & rights) !== rights) await chmod(path, (mode & 0o777) | rights)
}

/**
 * Keeps the objects of the repository in a workspace, as links to the same files: they stay when programs of the
 * agent remove or damage `.git`. Call it before the first program runs.
 */
export const keepObjects = async ({ root, kept }: Place, owner: number | undefined): Promise<void> => {
  await removeFolder(kept)
  await makeFolder(kept, undefined, READABLE)
  await linkObjects(join(root, '.git/objects'), kept, owner)
}

/** Keeps the objects that git has made in the service's own git directory, beside those that were kept. */
export const keepOwnObjects = ({ own, kept }: Place, owner: number | undefined): Promise<void> =>
  linkObjects(join(own, 'git/objects'), kept, owner)

/** `info` names other folders of objects, which are not those of `to`. */
const INFO = Buffer.from('info')

/**
 * The folders of what is kept belong to the service, and all may read them. A file of another user than `owner` is not
 * kept: a program may have put a link to it in the place of an object.
 */
const linkObjects = async (objects: string, kept: string, owner: number | undefined): Promise<void> => {
  for await (const { path, kind, uid } of entriesBelow(objects, (name) => name.equals(INFO))) {
    const [from, to] = [pathBelow(objects, path), pathBelow(kept, path)]
    if (kind === 'folder') await makeFolder(to.toString(), undefined, READABLE)
    if (kind === 'file' && (owner === undefined || uid === owner)) await linkOrCopy(from, to)
  }
}

/** An object that is there already is the same one. Not every file system has links. */
const linkOrCopy = (from: Buffer, to: Buffer): Promise<void> =>
  link(from, to).catch((thrown) => (thrown.code === 'EEXIST' ? undefined : copyFile(from, to)))

const ATTRIBUTES = 'info/attributes'

/**
 * Git on the files of a workspace, with a new git directory and home of the service. It reads the objects that were kept,
 * and nothing of the workspace's `.git`. `attributes` (gitattributes(5)) override those of the files.
 */
export const openOwnGit = async (
  { git, owner }: OwnGitNeeds,
  { root, own, kept }: Place,
  objectFormat: 'sha1' | 'sha256',
  signal: AbortSignal,
): Promise<OwnGit> => {
  // The files there may come from a program that escaped its run.
  await removeFolder(own)
  await makeFolder(own, owner)
  await makeFolder(root, owner)
  const gitDir = join(own, 'git')
  const call = { cwd: root, home: own, tmp: own, reads: [kept], alone: true, signal }
  const init = ['init', '--quiet', '--bare', '--template=', `--object-format=${objectFormat}`, gitDir]
  const initialized = await git.run({ ...call, args: init })
  if (initialized.exitCode !== 0) throw workspaceFailed('git could not be prepared', initialized)
  await makeBelow(gitDir, 'info', owner)
  await writeBelow(gitDir, 'objects/info/alternates', `${kept}\n`, owner)

  return async (args, maxBytes, { attributes, ...more } = {}) => {
    if (attributes !== undefined) await writeBelow(gitDir, ATTRIBUTES, `${attributes}\n`, owner)
    try {
      return await git.run({ ...call, ...more, args, maxBytes, apart: gitDir })
    } finally {
      if (attributes !== undefined) await removeBelow(gitDir, Buffer.from(ATTRIBUTES))
    }
  }
}
