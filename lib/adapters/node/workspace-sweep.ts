import { execFile } from 'node:child_process'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { messageOf } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'

const run = promisify(execFile)

/**
 * Removes a folder, also where programs took the rights to its folders from their own user, or made a tree that is deeper
 * than a path may be long: the programs of the system go down such trees folder by folder. Links are not followed.
 */
export const removeFolder = async (path: string): Promise<void> => {
  const remove = () => run('rm', ['-rf', '--', path])
  try {
    await remove()
  } catch {
    await run('chmod', ['-R', 'u+rwX', '--', path])
    await remove()
  }
}

const HOUR_MS = 3_600_000

const namesIn = async (dir: string): Promise<string[]> => {
  try {
    return await readdir(dir)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw thrown
  }
}

// Never `stat`: a link in the folder is left alone, wherever it leads.
const isStale = async (path: string, before: number): Promise<boolean> => {
  try {
    const found = await lstat(path)
    return found.isDirectory() && found.mtimeMs <= before
  } catch {
    return false
  }
}

/**
 * Removes workspaces that were last opened `ttlHours` ago or earlier, but for those in use, and answers how many. One that
 * cannot be removed keeps no other; it throws when all were tried. Links are neither removed nor followed.
 */
export const sweepWorkspaces = async (
  dir: string,
  ttlHours: number,
  clock: Clock,
  isInUse: (name: string) => boolean = () => false,
): Promise<number> => {
  const before = clock.now() - ttlHours * HOUR_MS
  const failures: unknown[] = []
  let removed = 0
  for (const name of await namesIn(dir)) {
    const path = join(dir, name)
    if (!(await isStale(path, before)) || isInUse(name)) continue
    try {
      await removeFolder(path)
      removed += 1
    } catch (thrown) {
      failures.push(thrown)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, messageOf(failures[0]))
  return removed
}
