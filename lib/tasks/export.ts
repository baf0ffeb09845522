import { jsonText } from '../core/json.ts'
import { rowPages } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Archive, Draft } from '../ports/archive.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import { EXPORT_VERSION } from './contract.ts'
import { tasks } from './rows.ts'
import { publicTask } from './schema.ts'

const PAGE = 500

type Needs = {
  store: Store
  clock: Clock
  audit: (principal: Principal, action: string) => Promise<void>
}

export const COPY_HEADER = 'x-export-copy'

/** Exports all tasks as `{version, exportedAt, tasks, taskCount}`, oldest first, in pieces. */
export const createTaskExport = ({ store, clock, audit }: Needs) =>
  async function* exportTasks(principal: Principal): AsyncGenerator<string> {
    // Recorded before the first byte: how much the caller will read is unknown.
    await audit(principal, 'task.export')
    yield `{"version":"${EXPORT_VERSION}","exportedAt":"${iso(clock.now())}","tasks":[`
    let written = 0
    const all = { index: 'newest', order: 'asc', limit: PAGE, detail: true } as const
    for await (const rows of rowPages((from) => store.page(tasks, { ...all, ...from }))) {
      if (rows.length > 0) {
        yield (written > 0 ? ',' : '') + rows.map((row) => jsonText(publicTask(row))).join(',')
      }
      written += rows.length
    }
    yield `],"taskCount":${written}}`
  }

type CopyNeeds = { archive: Archive; ids: Ids; log: Log }
type Pieces = AsyncGenerator<string, void>

/** The pieces of an export for its caller, and the key of its copy where there is one. */
export type KeepExport = (pieces: Pieces) => { pieces: Pieces; copy?: string }

/**
 * Stores a copy of each export in the archive while the caller reads it, at the pace of the slower of the two. An
 * export that fails leaves no copy. The answer ends only when the copy is stored or discarded: a function in Lambda
 * does not learn that a caller has disconnected, and runs to the end of the answer ("streamed responses are not
 * interrupted or stopped when the invoking client connection is broken", Lambda Developer Guide). An answer that AWS
 * cuts off, at the function's time limit or at 200 MB, has no copy. A host that reports the disconnect finishes the
 * copy without the caller while the process lives, without guarantee.
 */
export const createExportCopies = ({ archive, ids, log }: CopyNeeds): KeepExport => {
  const finish = async (pieces: Pieces, copy: Copy) => {
    try {
      while (copy.isKept()) if ((await pieces.next()).done) break
      await pieces.return()
    } catch {
      // Storage failed. The export already discarded the copy, and the log has the error.
    }
  }
  return (exported) => {
    const key = `exports/${ids.next('export')}.json`
    const copy = createCopy(archive.begin(key), key, log)
    const onLeave = (rest: Pieces) => finish(rest, copy)
    return { pieces: outliving(copied(exported, copy), onLeave), copy: key }
  }
}

type Copy = ReturnType<typeof createCopy>

/** A draft that logs a warning and is discarded when a write fails; later writes do nothing. */
const createCopy = (draft: Draft, key: string, log: Log) => {
  let givenUp: Promise<void> | undefined
  const abort = async (err: unknown) => {
    log.warn({ key, err }, 'the copy of an export was given up')
    await draft
      .abort()
      .catch((err: unknown) => log.warn({ key, err }, 'the unfinished copy of an export was not removed'))
  }
  /** The rest of the answer does not wait for the discard. */
  const giveUp = (reason: unknown): void => {
    givenUp ??= abort(reason)
  }
  const unlessFailed = (work: () => Promise<void>) => (givenUp ? undefined : work().catch(giveUp))
  return {
    isKept: () => givenUp === undefined,
    write: (text: string) => unlessFailed(() => draft.write(text)),
    close: () => unlessFailed(draft.close),
    giveUp,
    /** Resolves when the discarded draft is removed. */
    settled: async () => givenUp,
  }
}

/** Yields each piece after it was written to the copy. */
async function* copied(pieces: Pieces, copy: Copy): Pieces {
  try {
    for await (const piece of pieces) {
      await copy.write(piece)
      yield piece
    }
    await copy.close()
  } catch (thrown) {
    copy.giveUp(thrown)
    throw thrown
  } finally {
    await copy.settled()
  }
}

/** Yields the pieces; when the caller disconnects, `onLeave` gets the rest. */
async function* outliving(pieces: Pieces, onLeave: (pieces: Pieces) => Promise<unknown>): Pieces {
  let isWithCaller = false
  try {
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      isWithCaller = true
      yield next.value
      isWithCaller = false
    }
  } finally {
    // A caller disconnects while it has a piece; in every other case the pieces have ended too.
    if (isWithCaller) void onLeave(pieces)
  }
}
