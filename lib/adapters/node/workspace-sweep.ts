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

const namesIn = (dir: string): Promise<string[]> =>
  readdir(dir).catch((thrown) => {
    if (thrown.code === 'ENOENT') return []
    throw thrown
  })

// Never `stat`: a link in the folder is left alone, and its target is not read.
const isStale = (path: string, before: number): Promise<boolean> =>
  lstat(path).then(
    (entry) => entry.isDirectory() && entry.mtimeMs <= before,
    () => false,
  )

/**
 * Removes unused workspaces that were last opened `ttlHours` ago or earlier; resolves to their number. Throws after all were
 * tried when one could not be removed. Links are neither removed nor followed.
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
