import { execFile } from 'node:child_process'
import { chmod, chown, lstat, mkdir, readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { Problem } from '../../core/errors.ts'
import type { Command, Owners } from './command.ts'
import { endProcesses, runAs } from './user-processes.ts'
import { removeFolder } from './workspace-sweep.ts'

const run = promisify(execFile)

/** Root may do everything with the folder, and the group of the user that holds it may pass to what it has the name of. */
const HELD = 0o710
const LOCKED = 0o700

/** Folders of the system that all users may write to: programs that do not go by TMPDIR leave files there. */
const SHARED_FOLDERS = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue', '/run/lock']

export type WorkspaceUsersNeeds = {
  /** The folder of all workspaces, without symlinks. */
  dir: string
  /** The users, with a group of the same number each. The first is for commands without a workspace. */
  uids: { first: number; last: number }
  /** Those that all users may write to; SHARED_FOLDERS when absent. */
  sharedFolders?: readonly string[]
}

/** The commands of one user that have not ended, by kind; `ending` while what they left is ended. */
type Running = { agents: number; alone: number; all: number; ending?: Promise<void> | undefined }
type Counted = Pick<Command, 'cwd' | 'by' | 'alone'>
type Begun = { uid: number; elsewhere: readonly string[]; over: () => Promise<void> }

const statsAt = (path: string) => lstat(path).catch(() => undefined)

const endAll = async (uid: number): Promise<void> => {
  if (!(await endProcesses((other) => other === uid, [uid])))
    throw new Problem('unavailable', 'programs_left', `A process of user ${uid} cannot be ended`)
}

/** The words of find(1) for the files that a user has outside of its workspace. */
const filesElsewhere = (
  uid: number,
  { dir, sharedFolders = SHARED_FOLDERS }: WorkspaceUsersNeeds,
): string[] => [...sharedFolders, ...['-xdev', '-path', dir, '-prune', '-o', '-uid', String(uid)]]

/**
 * Removes what a user without processes left outside of its workspace: files, and shared memory (System V). It is done as
 * this user, so that links that other users put in the way lead to nothing more than it may remove.
 */
const removeLeftFiles = async (uid: number, needs: WorkspaceUsersNeeds): Promise<void> => {
  const remove = ['-exec', 'chmod', '-R', 'u+rwX', '--', '{}', '+', '-exec', 'rm', '-rf', '--', '{}', '+']
  await runAs(uid, 'find', [...filesElsewhere(uid, needs), '-prune', ...remove])
  await runAs(uid, 'ipcrm', ['--all'])
}

/**
 * A user of its own for each workspace. The folder of a workspace belongs to root, so that no program can put a link in the
 * place of what is in it; while a user holds it, that user's group may pass. Where all users are taken, one is taken from
 * the workspace that was used the longest time ago and runs nothing: its folder is locked, its processes are ended, and
 * what it left elsewhere is removed. A locked folder keeps its files, and the number of their owner as its group: at its
 * next use they are given to the user that it gets then.
 */
export const createWorkspaceUsers = (needs: WorkspaceUsersNeeds) => {
  const { dir, uids } = needs
  const { first, last } = uids
  const isOurs = (uid: number) => first <= uid && uid <= last
  /** The users of folders; the one that was used the longest time ago is first. */
  const held = new Map<string, number>()
  /** The users that hold a folder, and those of which a process could not be ended. */
  const taken = new Set<number>([first])
  /** Those that have no process and no file elsewhere, for certain: a service that was killed may have left both. */
  const cleared = new Set<number>()
  const running = new Map<number, Running>()

  const runningAs = (uid: number): Running => {
    const found = running.get(uid) ?? { agents: 0, alone: 0, all: 0 }
    running.set(uid, found)
    return found
  }
  const isBusy = (uid: number): boolean => runningAs(uid).all > 0

  let changes: Promise<unknown> = Promise.resolve()
  /** Users are given and taken one after the other. */
  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const next = changes.then(work)
    changes = next.catch(() => undefined)
    return next
  }

  const clear = async (uid: number): Promise<void> => {
    await endAll(uid)
    await removeLeftFiles(uid, needs)
    cleared.add(uid)
  }

  const lock = async (folder: string): Promise<void> => {
    const uid = held.get(folder)
    if (uid === undefined) return
    held.delete(folder)
    if (await statsAt(folder)) await chmod(folder, LOCKED)
    await clear(uid)
    taken.delete(uid)
  }

  const freeUid = async (): Promise<number> => {
    for (let uid = first; uid <= last; uid += 1) if (!taken.has(uid)) return uid
    const idle = [...held].find(([, uid]) => !isBusy(uid))
    if (idle === undefined)
      throw new Problem('unavailable', 'users_exhausted', 'All users of AGENT_UIDS are in use')
    await lock(idle[0])
    return idle[1]
  }

  const use = (folder: string): number | undefined => {
    const uid = held.get(folder)
    if (uid === undefined) return undefined
    held.delete(folder)
    held.set(folder, uid)
    return uid
  }

  /** A user without processes and files, the preferred one if it is free. */
  const takeUid = async (preferred: number | undefined): Promise<number> => {
    const uid = preferred !== undefined && !taken.has(preferred) ? preferred : await freeUid()
    taken.add(uid)
    if (!cleared.has(uid)) await clear(uid)
    cleared.delete(uid)
    return uid
  }

  const give = async (folder: string): Promise<number> => {
    const known = use(folder)
    if (known !== undefined) return known
    const before = await statsAt(folder)
    const owner = before && isOurs(before.gid) ? before.gid : undefined
    // The files of another isolation may be anything.
    if (before && owner === undefined) await removeFolder(folder)
    const uid = await takeUid(owner)
    try {
      await mkdir(folder, { recursive: true, mode: LOCKED })
      if (owner !== undefined && owner !== uid) await giveFiles(folder, owner, uid)
      await chown(folder, 0, uid)
      await chmod(folder, HELD)
    } catch (thrown) {
      taken.delete(uid)
      throw thrown
    }
    held.set(folder, uid)
    return uid
  }

  /** Nothing runs that could change the files meanwhile. Those of other users, which hard links may lead to, stay theirs. */
  const giveFiles = async (folder: string, from: number, to: number): Promise<void> => {
    const places = (await readdir(folder)).map((name) => join(folder, name))
    const owners = [`--from=${from}:${from}`, `${to}:${to}`]
    if (places.length > 0) await run('chown', ['-R', '-h', '-P', ...owners, '--', ...places])
  }

  const owners: Owners = {
    take: async (folder) => use(folder) ?? inTurn(() => give(folder)),
    release: (folder) => inTurn(() => lock(folder)),
  }

  /** The user of a command: that of the workspace that it works in. Throws where that has none. */
  const uidAt = (cwd: string): number => {
    const [name = ''] = relative(dir, cwd).split(sep)
    if (name === '' || name === '..') return first
    const uid = use(join(dir, name))
    if (uid === undefined) throw new Problem('unavailable', 'workspace_failed', 'The workspace is not open')
    return uid
  }

  /** Resolves when what earlier commands left has ended. Rejects when it cannot be ended. */
  const ready = async ({ cwd }: Pick<Counted, 'cwd'>): Promise<void> => {
    const { ending } = runningAs(uidAt(cwd))
    if (ending === undefined) return
    await ending
    await ready({ cwd })
  }

  /** Counts a command as running. Throws where it may not run beside others. */
  const begin = ({ cwd, by, alone = false }: Counted): Begun => {
    const uid = uidAt(cwd)
    const now = runningAs(uid)
    const isAgent = by === 'agent'
    if (now.ending || (alone && now.agents > 0) || (isAgent && now.alone > 0))
      throw new Problem('unavailable', 'workspace_failed', 'Programs of the agent still run in the workspace')
    const count = (by: 1 | -1) => {
      now.all += by
      if (isAgent) now.agents += by
      if (alone) now.alone += by
    }
    count(1)
    const over = async () => {
      count(-1)
      if (now.all > 0) return
      now.ending = endAll(uid)
      await now.ending
      // A user of which a process is left is not used again.
      now.ending = undefined
    }
    return { uid, elsewhere: filesElsewhere(uid, needs), over }
  }

  /** Ends what a killed service left, and locks its workspaces. Throws where a process cannot be ended. */
  const start = async (): Promise<void> => {
    if (!(await endProcesses(isOurs)))
      throw new Problem('unavailable', 'programs_left', 'A process of a user of AGENT_UIDS cannot be ended')
    for (const entry of await readdir(dir, { withFileTypes: true })) {
      const folder = join(dir, entry.name)
      if (entry.isDirectory() && isOurs((await lstat(folder)).gid)) await chmod(folder, LOCKED)
    }
  }

  return { owners, ready, begin, start }
}
export type WorkspaceUsers = ReturnType<typeof createWorkspaceUsers>
