import type { Contents, FileEntry } from './contents.ts'
import type { FileRows } from './file-rows.ts'
import type { IndexCache } from './index-cache.ts'
import type { MemoryState, VersionFacts } from './state.ts'

type Needs = { state: MemoryState; indexCache: IndexCache; rows: FileRows }

/** Memory under its lease: each write is stored at once, and published at the end, or earlier on request. */
export type Draft = {
  contents(): Contents
  /** False when another writer has changed that file meanwhile; then the draft has the stored entry. */
  put(entry: Omit<FileEntry, 'revision'>): Promise<boolean>
  remove(entry: FileEntry): Promise<boolean>
  /** Sets facts of the new version beside its contents. */
  note(more: VersionFacts): void
  /** Publishes the stored entries for searches, while the work goes on. */
  publish(more: VersionFacts): Promise<void>
}

export type Change = <T>(work: (draft: Draft) => Promise<T>) => Promise<T>

/** Changes memory; one change at a time in all processes. Entries stored before `work` failed are published. */
export const createChange = ({ state, indexCache, rows }: Needs): Change => {
  let last: Promise<unknown> = Promise.resolve()

  const inLease = async <T>(work: (draft: Draft) => Promise<T>): Promise<T> => {
    let lease = await state.take()
    const base = await indexCache.base(lease)
    const entries = new Map(base)
    let more: VersionFacts = {}
    const adopt = async (path: string, stored: FileEntry | undefined) => {
      const now = stored ?? (await rows.get(path))
      if (now) entries.set(path, now)
      else entries.delete(path)
    }
    const draft: Draft = {
      contents: () => entries,
      put: async (entry) => {
        const stored = await rows.put(entries.get(entry.path), entry)
        await adopt(entry.path, stored)
        return stored !== undefined
      },
      remove: async (entry) => {
        const removed = await rows.remove(entry)
        if (removed) entries.delete(entry.path)
        else await adopt(entry.path, undefined)
        return removed
      },
      note: (given) => {
        more = given
      },
      publish: async (given) => {
        lease = await indexCache.publish(lease, entries, given, true)
      },
    }
    const publish = () => indexCache.publish(lease, entries, more)
    const done = await work(draft).catch(async (thrown) => {
      await publish()
      throw thrown
    })
    await publish()
    await indexCache.storeIndex()
    return done
  }

  return (work) => {
    const mine = last.then(() => inLease(work))
    last = mine.catch(() => undefined)
    return mine
  }
}
