import { hash } from 'node:crypto'
import { rowPages } from '../core/page.ts'
import { retry } from '../core/retry.ts'
import { lostFields } from '../core/truncated.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { type Contents, type FileEntry, toContents } from './contents.ts'
import { type MemoryFileRow, memoryFiles } from './rows.ts'

const SHARDS = '01234567'.split('')
const PAGE = 100
const OPTIONAL = ['removed', 'embeddedBy', 'vectors', 'rated'] as const

const toShard = (path: string) => String(Number.parseInt(hash('sha256', path, 'hex').slice(0, 4), 16) % 8)
const rowKey = (path: string) => [toShard(path), path] as const
/** A file whose stored chunks are gone counts as unread, so the next sync reads it again. */
const toFileEntry = (row: MemoryFileRow): FileEntry => {
  const { shard: _shard, truncated: _truncated, ...entry } = row as MemoryFileRow & { truncated?: unknown }
  return lostFields(row, ['chunks']).length === 0 ? entry : { ...entry, tag: '', hash: '' }
}

export type FileRows = ReturnType<typeof createFileRows>

/** The rows of memory files. A write applies only to the revision that the writer has read. */
export const createFileRows = ({ store, clock }: { store: Store; clock: Clock }) => {
  const readShard = async (shard: string): Promise<FileEntry[]> => {
    const query = { index: 'ofShard', is: shard, order: 'asc', limit: PAGE, detail: true } as const
    const entries: FileEntry[] = []
    for await (const rows of rowPages((from) => store.page(memoryFiles, { ...query, ...from })))
      entries.push(...rows.map(toFileEntry))
    return entries
  }

  // A new row begins with the time as its revision, so that no revision of a path is ever repeated.
  const write = (before: FileEntry | undefined, entry: Omit<FileEntry, 'revision'>) => {
    const { path } = entry
    const row = { ...entry, shard: toShard(path), revision: (before?.revision ?? clock.now()) + 1 }
    const { shard: _shard, path: _path, ...set } = row
    return {
      row,
      commit: () =>
        before === undefined
          ? store.commit<MemoryFileRow>({ insert: memoryFiles, row })
          : store.commit<MemoryFileRow>({
              update: memoryFiles,
              key: rowKey(path),
              when: { revision: before.revision },
              set,
              unset: OPTIONAL.filter((field) => entry[field] === undefined),
            }),
    }
  }

  return {
    all: async (): Promise<Contents> => toContents((await Promise.all(SHARDS.map(readShard))).flat()),
    get: async (path: string): Promise<FileEntry | undefined> => {
      const row = await store.get(memoryFiles, rowKey(path), true)
      return row && toFileEntry(row)
    },
    /** The stored entry; undefined when the row was not in the state that the writer had read. */
    put: async (
      before: FileEntry | undefined,
      entry: Omit<FileEntry, 'revision'>,
    ): Promise<FileEntry | undefined> => {
      const { row, commit } = write(before, entry)
      const { applied } = await retry(commit, clock)
      return applied ? toFileEntry(row) : undefined
    },
    /** Whether the row was in the state that the writer had read. */
    remove: async ({ path, revision }: FileEntry): Promise<boolean> => {
      const remove = { remove: memoryFiles, key: rowKey(path), when: { revision } }
      return (await retry(() => store.commit<MemoryFileRow>(remove), clock)).applied
    },
  }
}
