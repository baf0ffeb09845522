import { pagesOf } from '../core/pages.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Archive, Draft } from '../ports/archive.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import { EXPORT_VERSION } from './queries.ts'
import { publicTask, tasks } from './rows.ts'

const PAGE = 500

type Needs = {
  store: Store
  clock: Clock
  audit: (principal: Principal, action: string) => Promise<void>
}

/** The response header that names the stored copy of an export, where one is kept. */
export const COPY_HEADER = 'x-export-copy'

/**
 * All tasks as one JSON document `{version, exportedAt, tasks, taskCount}`, oldest first, in pieces: memory stays
 * flat for any number of them. The count comes last because it is the number of tasks that were written.
 */
export const createTaskExport = ({ store, clock, audit }: Needs) =>
  async function* exportTasks(principal: Principal): AsyncGenerator<string> {
    // Before the first byte, since it is unknown how many of them the caller reads.
    await audit(principal, 'task.export')
    yield `{"version":"${EXPORT_VERSION}","exportedAt":"${iso(clock.now())}","tasks":[`
    let written = 0
    const all = { index: 'newest', order: 'asc', limit: PAGE, detail: true } as const
    for await (const rows of pagesOf((from) => store.page(tasks, { ...all, ...from }))) {
      if (rows.length > 0) {
        yield (written > 0 ? ',' : '') + rows.map((row) => JSON.stringify(publicTask(row))).join(',')
      }
      written += rows.length
    }
    yield `],"taskCount":${written}}`
  }

type ExportCopiesNeeds = { archive: Archive; ids: Ids; log: Log }
type Pieces = AsyncGenerator<string, void>

/** An export on its way to a caller, and the key of the copy that it leaves, where it leaves one. */
export type KeepExport = (pieces: Pieces) => { pieces: Pieces; copy?: string }

/**
 * Keeps a copy of each export in the archive while it goes to its caller, at the pace of the slower of both. A copy that
 * fails costs the caller the time until it does, and an export that fails leaves no copy.
 *
 * The answer ends only when the copy is kept or given up: so the copy has all the time that the answer has, in Lambda
 * the invocation. There the function does not know that a caller has left, and AWS takes the answer to its end ("streamed
 * responses are not interrupted or stopped when the invoking client connection is broken", Lambda Developer Guide,
 * Response streaming). No copy is promised of an answer that AWS cuts off: at the function's time limit, or at 200 MB.
 *
 * A host that does tell, as under `npm run offline`, has the copy finished without its caller, for as long as the process
 * lives. Lambda may stop a process when the answer has ended, so there this is an attempt and no promise.
 */
export const createExportCopies = ({ archive, ids, log }: ExportCopiesNeeds): KeepExport => {
  const finish = async (pieces: Pieces, copy: Copy) => {
    try {
      while (copy.isKept()) if ((await pieces.next()).done) break
      await pieces.return()
    } catch {
      // Storage failed. The copy has been given up for that, which is in the log.
    }
  }
  return (exported) => {
    const key = `exports/${ids.next('export')}.json`
    const copy = copyOf(archive.begin(key), key, log)
    const onLeave = (rest: Pieces) => finish(rest, copy)
    return { pieces: outliving(written(exported, copy), onLeave), copy: key }
  }
}

type Copy = ReturnType<typeof copyOf>

/** A draft that is given up with a warning when it fails, and from then on takes no notice. */
const copyOf = (draft: Draft, key: string, log: Log) => {
  let givenUp: Promise<void> | undefined
  const abort = async (reason: unknown) => {
    log.warn({ key, err: reason }, 'the copy of an export was given up')
    await draft.abort().catch((err: unknown) => {
      log.warn({ key, err }, 'the unfinished copy of an export was not removed')
    })
  }
  /** The rest of the answer does not wait for it. */
  const giveUp = (reason: unknown): void => {
    givenUp ??= abort(reason)
  }
  const unlessFailed = (work: () => Promise<void>) => (givenUp ? undefined : work().catch(giveUp))
  return {
    isKept: () => givenUp === undefined,
    write: (text: string) => unlessFailed(() => draft.write(text)),
    close: () => unlessFailed(draft.close),
    giveUp,
    /** Resolves when what was given up is gone. */
    settled: async () => givenUp,
  }
}

/** The pieces, each once it is in the copy. */
async function* written(pieces: Pieces, copy: Copy): Pieces {
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

/** The pieces; where the caller leaves, the rest is handed to `onLeave`. */
async function* outliving(pieces: Pieces, onLeave: (pieces: Pieces) => Promise<unknown>): Pieces {
  let isWithCaller = false
  try {
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      isWithCaller = true
      yield next.value
      isWithCaller = false
    }
  } finally {
    // Who leaves does so with a piece in hand; everything else that ends here has ended the pieces too.
    if (isWithCaller) void onLeave(pieces)
  }
}
