import { setImmediate as turn } from 'node:timers/promises'
import { Problem } from '../core/errors.ts'

/** Files that are worked on at once. */
const AT_ONCE = 4

/**
 * Does the same to each of many files. Throws Problem `memory_sync_unfinished` when it is over before all are done: what was
 * done is stored, and the next call goes on from there.
 */
export const inBatches = async <T, R>(
  files: readonly T[],
  isOver: () => boolean,
  work: (file: T) => Promise<R>,
): Promise<R[]> => {
  const done: R[] = []
  while (done.length < files.length) {
    if (isOver()) throw unfinished(done.length, files.length)
    done.push(...(await Promise.all(files.slice(done.length, done.length + AT_ONCE).map(work))))
    // Cutting a large file takes a while, and others wait for answers.
    await turn()
  }
  return done
}

const unfinished = (done: number, all: number) =>
  new Problem(
    'unavailable',
    'memory_sync_unfinished',
    `${done} of ${all} files are done; ask again to go on`,
    {
      retryAfterMs: 1_000,
    },
  )
