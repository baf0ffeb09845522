import { setTimeout as sleep } from 'node:timers/promises'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { collections } from '../../lib/collections.ts'
import type { Principal } from '../../lib/core/principal.ts'
import type { CopyPlace } from '../../lib/memory/copies.ts'
import type { Expand } from '../../lib/memory/expand.ts'
import { createMemory } from '../../lib/memory/service.ts'
import type { Embedding } from '../../lib/ports/embedding.ts'
import type { MemoryBytes, MemoryFiles } from '../../lib/ports/memory-files.ts'
import type { Store } from '../../lib/ports/store.ts'
import { createFakeClock, type FakeClock } from '../fakes/clock.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { createFakeLog } from '../fakes/log.ts'
import { createMemoryBlobs } from '../fakes/memory-blobs.ts'

export const ADMIN: Principal = { userId: 'user_admin', role: 'admin' }

type Written = { bytes: MemoryBytes; tag: string }

/** Memory files that a test writes; the far side of the port. */
const createPlace = () => {
  const written = new Map<string, Written>()
  let tags = 0
  const read: string[] = []
  const files: MemoryFiles = {
    list: async () =>
      [...written]
        .map(([path, { bytes, tag }]) => ({ path, tag, size: bytes?.length ?? 0 }))
        .sort((a, b) => (a.path < b.path ? -1 : 1)),
    read: async (path) => {
      read.push(path)
      return written.get(path)?.bytes
    },
  }
  return {
    files,
    /** The paths that were read so far. */
    read,
    write: (path: string, text: string | Uint8Array | 'too_large') => {
      const bytes =
        typeof text === 'string' && text !== 'too_large' ? Buffer.from(text) : (text as MemoryBytes)
      written.set(path, { bytes, tag: `t${tags++}` })
    },
    touch: (path: string) => {
      const { bytes } = written.get(path) as Written
      written.set(path, { bytes, tag: `t${tags++}` })
    },
    remove: (path: string) => void written.delete(path),
  }
}

type Given = {
  shared?: boolean
  store?: Store
  files?: MemoryFiles
  copies?: CopyPlace
  embedding?: Embedding
  expand?: Expand
}

/** One storage, one place of files, and as many processes on both as a test starts. */
export const createWorld = () => {
  const [clock, log] = [createFakeClock(), createFakeLog()]
  const store = openSqliteStore({ file: ':memory:', collections, clock })
  const place = createPlace()
  const copies = createMemoryBlobs()
  const audited: string[] = []
  const process = (given: Given = {}) =>
    createMemory({
      checkOwnConversation: async () => undefined,
      clock,
      log,
      ids: createFakeIds(),
      store: given.store ?? store,
      memoryFiles: given.files ?? place.files,
      memoryCopies: given.copies ?? copies,
      isMemoryShared: given.shared ?? false,
      embedding: given.embedding,
      expand: given.expand,
      watching: () => ({ enabled: true, watching: false }),
      audit: async ({ userId }, action) => void audited.push(`${userId} ${action}`),
    })
  return { clock, log, store, place, copies, audited, process, [Symbol.asyncDispose]: store.close }
}

type Process = ReturnType<ReturnType<typeof createWorld>['process']>

/** Every text that a process finds for a question, the best first. */
export const textsFor = async ({ search }: Process, query: string) =>
  (await search({ query, maxResults: 100 })).chunks.map(({ text }) => text)

export const storedPaths = async ({ files }: Process) =>
  (await files.list({ limit: 200 })).files.map(({ path }) => path)

/** Lets time pass by the fake clock until a promise has its outcome. */
export const passing = async <T>(clock: FakeClock, waitedFor: Promise<T>): Promise<T> => {
  let isOver = false
  void waitedFor.finally(() => (isOver = true)).catch(() => undefined)
  while (!isOver) {
    await sleep(1)
    clock.advance(100)
  }
  return waitedFor
}

/** A storage that fails once `writes` of memory files have been made. */
export const failingAfter = (store: Store, writes: number): Store => {
  let left = writes
  return {
    ...store,
    commit: (async (head: { insert?: { name: string }; update?: { name: string } }, ...more: []) => {
      const of = head.insert ?? head.update
      if (of?.name === 'memoryFiles' && left-- <= 0) throw new Error('the power is gone')
      if (left < 0) throw new Error('the power is gone')
      return store.commit(head as never, ...more)
    }) as Store['commit'],
  }
}
