import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import { removeFolder } from './workspace-remove.ts'

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
