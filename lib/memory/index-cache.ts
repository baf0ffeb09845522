import { messageOf } from '../core/errors.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Log } from '../ports/log.ts'
import { type Contents, changedPaths, compile, contentsOf, decompile } from './contents.ts'
import type { FileRows } from './file-rows.ts'
import { createSearchIndex, type SearchIndex } from './search-index.ts'
import type { Lease, MemoryState, VersionFacts } from './state.ts'

/** The compiled copy of a version, where other processes read it. */
export type Compiled = Pick<Blobs, 'put' | 'get' | 'remove'>
const COMPILED = 'memory-index'
const nameOf = (version: number) => `${COMPILED}/${version}`

type Needs = {
  state: MemoryState
  rows: FileRows
  compiled?: Compiled | undefined
  log: Log
  /** The model whose vectors are searched. */
  model?: string | undefined
}
type Cached = { version: number; contents: Contents; searchIndex: Promise<SearchIndex> | undefined }

export type IndexCache = ReturnType<typeof createIndexCache>

/**
 * Memory as this process holds it. Each use asks for the version first, which is one small read; only another version is
 * loaded, from its compiled copy where there is one, else from the rows.
 */
export const createIndexCache = ({ state, rows, compiled, log, model }: Needs) => {
  let cached: Cached = { version: 0, contents: new Map(), searchIndex: undefined }
  let loading: { version: number; done: Promise<void> } | undefined

  const fetchContents = async (version: number): Promise<Contents> => {
    const text = await compiled?.get(nameOf(version))
    return (text === undefined ? undefined : decompile(text)) ?? rows.all()
  }

  /** Keeps what is indexed of files that are the same: most of them are. */
  const hold = async (version: number, contents: Contents) => {
    const { searchIndex, contents: before } = cached
    cached = { version, contents, searchIndex }
    if (searchIndex) (await searchIndex).change(changedPaths(before, contents), before, contents)
  }

  const load = async (version: number) => {
    if (version === cached.version) return
    if (loading?.version !== version) {
      const done = fetchContents(version).then((contents) => hold(version, contents))
      loading = { version, done }
      const end = () => {
        loading = undefined
      }
      done.then(end, end)
    }
    await loading.done
  }

  const refresh = async () => {
    const row = await state.read()
    await load(row.version)
    return row
  }

  return {
    current: async (): Promise<Contents> => {
      await refresh()
      return cached.contents
    },
    /** With when it was last brought up to date. */
    withState: async () => {
      const row = await refresh()
      return { contents: cached.contents, lastSync: row.lastSync ?? null }
    },
    /** Contents and what finds things in them, of one version. */
    searchable: async (): Promise<{ contents: Contents; searchIndex: SearchIndex }> => {
      await refresh()
      cached.searchIndex ??= createSearchIndex(cached.contents, model)
      const { contents } = cached
      return { contents, searchIndex: await cached.searchIndex }
    },
    /** What the holder of the lease starts from: after a change that was not finished, the rows say what there is. */
    base: async ({ version, isTorn }: Lease): Promise<Contents> => {
      if (isTorn) return rows.all()
      await load(version)
      return cached.contents
    },
    /** Makes new contents known, here and to others. False when the lease was lost: then nothing is published. */
    publish: async (lease: Lease, entries: Contents, more: VersionFacts) => {
      const contents = contentsOf([...entries.values()])
      const isSame = !lease.isTorn && changedPaths(cached.contents, contents).length === 0
      if (isSame) return state.publish(lease, more)
      const version = lease.version + 1
      // Without its copy a version is read from the rows: dearer, and no reason to fail.
      await compiled
        ?.put(nameOf(version), compile(contents))
        .catch((thrown) => log.warn({ reason: messageOf(thrown) }, 'the copy of memory was not written'))
      if (!(await state.publish(lease, { ...more, version }))) return false
      await hold(version, contents)
      // A reader of the version before may still be about to fetch its copy.
      await compiled?.remove(nameOf(version - 2)).catch(() => undefined)
      return true
    },
  }
}
