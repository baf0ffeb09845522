import { hash } from 'node:crypto'
import { retry } from '../core/retry.ts'
import { lostFields } from '../core/truncated.ts'
import type { Clock } from '../ports/clock.ts'
import type { Position, Store } from '../ports/store.ts'
import { type Contents, contentsOf, type FileEntry } from './contents.ts'
import { type MemoryFileRow, memoryFiles } from './rows.ts'

const SHARDS = '01234567'.split('')
const PAGE = 100
const OPTIONAL = ['removed', 'embeddedBy', 'vectors', 'rated'] as const

const shardOf = (path: string) => String(Number.parseInt(hash('sha256', path, 'hex').slice(0, 4), 16) % 8)
const keyOf = (path: string) => [shardOf(path), path] as const
/** A file whose stored chunks are gone counts as unread, so the next sync reads it again. */
const entryOf = (row: MemoryFileRow): FileEntry => {
  const { shard: _shard, truncated: _truncated, ...entry } = row as MemoryFileRow & { truncated?: unknown }
  return lostFields(row, ['chunks']).length === 0 ? entry : { ...entry, tag: '', hash: '' }
}

export type FileRows = ReturnType<typeof createFileRows>

/** The rows of memory files. A write applies only to the revision that the writer has read. */
export const createFileRows = ({ store, clock }: { store: Store; clock: Clock }) => {
  const ofShard = async (shard: string): Promise<FileEntry[]> => {
    const entries: FileEntry[] = []
    let after: Position | undefined
    do {
      const page = await store.page(memoryFiles, {
        index: 'ofShard',
        is: shard,
        order: 'asc',
        limit: PAGE,
        detail: true,
        ...(after ? { after } : {}),
      })
      entries.push(...page.rows.map(entryOf))
      after = page.next
    } while (after)
    return entries
  }

  // A new row begins with the time as its revision, so that no revision of a path is ever repeated.
  const write = (before: FileEntry | undefined, entry: Omit<FileEntry, 'revision'>) => {
    const { path } = entry
    const row = { ...entry, shard: shardOf(path), revision: (before?.revision ?? clock.now()) + 1 }
    const { shard: _shard, path: _path, ...set } = row
    return {
      row,
      commit: () =>
        before === undefined
          ? store.commit<MemoryFileRow>({ insert: memoryFiles, row })
          : store.commit<MemoryFileRow>({
              update: memoryFiles,
              key: keyOf(path),
              when: { revision: before.revision },
              set,
              unset: OPTIONAL.filter((field) => entry[field] === undefined),
            }),
    }
  }

  return {
    all: async (): Promise<Contents> => contentsOf((await Promise.all(SHARDS.map(ofShard))).flat()),
    get: async (path: string): Promise<FileEntry | undefined> => {
      const row = await store.get(memoryFiles, keyOf(path), true)
      return row && entryOf(row)
    },
    /** The stored entry; undefined when the row was not in the state that the writer had read. */
    put: async (
      before: FileEntry | undefined,
      entry: Omit<FileEntry, 'revision'>,
    ): Promise<FileEntry | undefined> => {
      const { row, commit } = write(before, entry)
      const { applied } = await retry(commit, clock)
      return applied ? entryOf(row) : undefined
    },
    /** Whether the row was in the state that the writer had read. */
    remove: async ({ path, revision }: FileEntry): Promise<boolean> => {
      const remove = { remove: memoryFiles, key: keyOf(path), when: { revision } }
      return (await retry(() => store.commit<MemoryFileRow>(remove), clock)).applied
    },
  }
}
