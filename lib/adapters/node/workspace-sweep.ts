import { execFile } from 'node:child_process'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { errorMessage } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'

const run = promisify(execFile)

/**
 * Removes a folder, also when programs removed the rights of its folders from their own user, or made a tree that is
 * deeper than the longest path: the system's programs descend such trees folder by folder. Links are not followed.
 */
export const removeFolder = async (path: string): Promise<void> => {
  const remove = () => run('rm', ['-rf', '--', path])
  try {
    await remove()
  } catch {
    // It fails for a part of a tree too, and changes the rest.
    await run('chmod', ['-R', 'u+rwX', '--', path]).catch(() => undefined)
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

// Never `stat`: a link in the folder is left alone, and its target is not read.
const isStale = async (path: string, before: number): Promise<boolean> => {
  try {
    const found = await lstat(path)
    return found.isDirectory() && found.mtimeMs <= before
  } catch {
    return false
  }
}

/**
 * Removes unused workspaces that were last opened `ttlHours` ago or earlier; resolves to their number. One that cannot be
 * removed does not stop the others; it throws after all were tried. Links are neither removed nor followed.
 */
export const sweepWorkspaces = async (
  dir: string,
  ttlHours: number,
  clock: Clock,
  isInUse: (name: string) => boolean | Promise<boolean> = () => false,
): Promise<number> => {
  const before = clock.now() - ttlHours * HOUR_MS
  const failures: unknown[] = []
  let removed = 0
  for (const name of await namesIn(dir)) {
    const path = join(dir, name)
    if (!(await isStale(path, before)) || (await isInUse(name))) continue
    try {
      await removeFolder(path)
      removed += 1
    } catch (thrown) {
      failures.push(thrown)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, errorMessage(failures[0]))
  return removed
}
