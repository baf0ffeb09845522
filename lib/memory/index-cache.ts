import { errorMessage } from '../core/errors.ts'
import type { Log } from '../ports/log.ts'
import { type Contents, changedPaths, chunkCount, type FileEntry, toContents } from './contents.ts'
import type { Copies } from './copies.ts'
import type { FileRows } from './file-rows.ts'
import type { SavedLexical } from './lexical.ts'
import { createSearchIndex, type SearchIndex } from './search-index.ts'
import type { Lease, MemoryState, VersionFacts } from './state.ts'

/** The index is stored again when a starting process would have to index more chunks than this. */
const MOST_DRIFT = 500

type Needs = {
  state: MemoryState
  rows: FileRows
  /** Whether other processes exist, for which a copy of the contents is faster to read than the rows. */
  shared: boolean
  copies?: Copies | undefined
  log: Pick<Log, 'warn'>
  model?: string | undefined
}
type Cached = { version: number; contents: Contents; searchIndex: Promise<SearchIndex> | undefined }

export type IndexCache = ReturnType<typeof createIndexCache>

/**
 * The memory cached in this process. Each use first reads the version, which is one small read; a changed version is
 * loaded: its contents from the copy if there are other processes, else from the rows. The first search opens the stored
 * index, which may be of an older version, and adds the later changes.
 */
export const createIndexCache = ({ state, rows, shared, copies, log, model }: Needs) => {
  let cached: Cached = { version: 0, contents: new Map(), searchIndex: undefined }
  let loading: { version: number; done: Promise<void> } | undefined

  const fetchContents = async (version: number): Promise<Contents> => {
    const files = shared ? await copies?.get(version, 'contents') : undefined
    // Only `publish` writes this name.
    return files === undefined ? rows.all() : toContents(files as FileEntry[])
  }

  /** Keeps the index of unchanged files. An older version never replaces a newer one. */
  const hold = async (version: number, contents: Contents) => {
    if (version < cached.version) return
    const { contents: before, searchIndex } = cached
    const changed = searchIndex?.then(async (index) => {
      await index.change(changedPaths(before, contents), before, contents)
      return index
    })
    const next: Cached = { version, contents, searchIndex: changed }
    cached = next
    await changed?.catch((thrown) => {
      next.searchIndex = undefined
      throw thrown
    })
  }

  /** Readers of that version wait for this load instead of loading it themselves. */
  const shareLoad = (version: number, done: Promise<void>) => {
    const mine = { version, done }
    loading = mine
    const end = () => {
      if (loading === mine) loading = undefined
    }
    done.then(end, end)
    return mine
  }

  const load = async (version: number) => {
    // A version that another process published instead is there after the second round.
    while (cached.version < version) {
      const fetched = () => fetchContents(version).then((contents) => hold(version, contents))
      await (loading?.version === version ? loading : shareLoad(version, fetched())).done
    }
  }

  const refresh = async () => {
    const row = await state.read()
    await load(row.version)
    return row
  }

  const openIndex = async (contents: Contents, indexedAt: number | undefined): Promise<SearchIndex> => {
    const saved = indexedAt === undefined ? undefined : await copies?.get(indexedAt, 'index')
    try {
      return await createSearchIndex(contents, model, saved as SavedLexical | undefined)
    } catch (thrown) {
      if (saved === undefined) throw thrown
      log.warn({ reason: errorMessage(thrown) }, 'the stored index of memory cannot be used')
      return createSearchIndex(contents, model)
    }
  }

  /** The contents and the search index of one version. */
  const searchable = async (): Promise<{ contents: Contents; searchIndex: SearchIndex }> => {
    const { indexedAt } = await refresh()
    const entry = cached
    entry.searchIndex ??= openIndex(entry.contents, indexedAt).catch((thrown) => {
      entry.searchIndex = undefined
      throw thrown
    })
    return { contents: entry.contents, searchIndex: await entry.searchIndex }
  }

  return {
    searchable,
    current: async (): Promise<Contents> => {
      await refresh()
      return cached.contents
    },
    /** The contents with the time of their last sync. */
    withState: async () => {
      const row = await refresh()
      return { contents: cached.contents, lastSync: row.lastSync ?? null }
    },
    /** The contents that a lease begins with: after an unfinished change they are read from the rows. */
    base: async ({ version, isTorn }: Lease): Promise<Contents> => {
      if (isTorn) return rows.all()
      await load(version)
      return cached.contents
    },
    /** Publishes new contents, and ends the lease unless its holder `goesOn`. Publishes nothing when the lease was lost. */
    publish: async (lease: Lease, entries: Contents, more: VersionFacts, goesOn = false): Promise<Lease> => {
      const contents = toContents([...entries.values()])
      const changed = lease.isTorn ? undefined : changedPaths(cached.contents, contents)
      if (changed?.length === 0) {
        await state.publish(lease, more, goesOn)
        return lease
      }
      const version = lease.version + 1
      const drift = nextDrift(lease, changed, cached.contents, contents)
      if (shared) await copies?.put(version, 'contents', [...contents.values()])
      const published = state.publish(lease, { ...more, version, drift }, goesOn).then(async (applied) => {
        if (applied) await hold(version, contents)
        return applied
      })
      const ended = () => undefined
      shareLoad(version, published.then(ended, ended))
      if (!(await published)) return lease
      // A reader of the previous version may still be about to read its copy.
      if (shared) await copies?.remove(version - 2, 'contents')
      return { ...lease, version, drift, isTorn: false }
    },
    storeIndex: async (): Promise<void> => {
      const { version, drift = 0, indexedAt } = await state.read()
      if (copies === undefined || drift < MOST_DRIFT) return
      const { searchIndex } = await searchable()
      if (cached.version !== version || !(await copies.put(version, 'index', searchIndex.save()))) return
      const isNoted = await state.noteIndex(version)
      const old = isNoted ? indexedAt : version
      if (old !== undefined) await copies.remove(old, 'index')
    },
  }
}

/** The number of chunks added or removed since the index was stored. */
const nextDrift = (
  { drift = 0 }: Lease,
  changed: readonly string[] | undefined,
  before: Contents,
  after: Contents,
): number => {
  if (changed === undefined) return drift + chunkCount(after)
  const idsAt = (contents: Contents, path: string) => contents.get(path)?.chunks.map(({ id }) => id) ?? []
  return changed.reduce((sum, path) => {
    const [old, now] = [new Set(idsAt(before, path)), new Set(idsAt(after, path))]
    return sum + [...old].filter((id) => !now.has(id)).length + [...now].filter((id) => !old.has(id)).length
  }, drift)
}
