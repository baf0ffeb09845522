import type { Principal } from '../core/principal.ts'
import type { Clock } from '../ports/clock.ts'
import type { Embedding } from '../ports/embedding.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { MemoryFiles } from '../ports/memory-files.ts'
import type { Store } from '../ports/store.ts'
import { createBudget } from './budget.ts'
import { createChange } from './change.ts'
import { chunkCount, filesIn } from './contents.ts'
import { type CopyPlace, createCopies } from './copies.ts'
import type { Expand } from './expand.ts'
import { createExperiences } from './experiences.ts'
import { createFileRows } from './file-rows.ts'
import { createExcluded, createFiles } from './files.ts'
import { createGuidance, createWarm } from './guidance.ts'
import { createIndexCache } from './index-cache.ts'
import type { CheckOwnConversation, SearchMethod } from './schema.ts'
import { createSearch } from './search.ts'
import { createMemorySessions } from './sessions.ts'
import { createMemoryState } from './state.ts'
import { createSync } from './sync.ts'
import { lackingIn, refusedIn } from './vectors.ts'
import { createVerdicts } from './verdicts.ts'

/** Whether memory follows its files, and by a watcher or by checks. */
export type Watching = () => { enabled: boolean; watching: boolean }

const RECALLED = 6

export type MemoryPorts = {
  store: Store
  clock: Clock
  ids: Ids
  log: Log
  memoryFiles: MemoryFiles
  /** The storage of copies that make a process start sooner; without it each process builds its own from the rows. */
  memoryCopies?: CopyPlace | undefined
  /** The embedding model; without it memory is searched by words. */
  embedding?: Embedding | undefined
}

type Needs = MemoryPorts & {
  isMemoryShared?: boolean
  /** Adds words to questions, when there is no embedding model. */
  expand?: Expand | undefined
  checkOwnConversation: CheckOwnConversation
  watching: Watching
  audit: (by: Principal, action: string, details: object) => Promise<void>
}

export type Memory = ReturnType<typeof createMemory>

/** Memory over markdown files: the files are the source, rows derive from them, and a cache in the process answers. */
export const createMemory = (needs: Needs) => {
  const {
    memoryFiles: files,
    memoryCopies: place,
    isMemoryShared: shared = false,
    watching,
    audit,
    embedding,
  } = needs
  const state = createMemoryState({ ...needs, shared })
  const rows = createFileRows(needs)
  const copies = place && createCopies({ ...needs, place })
  const indexCache = createIndexCache({ ...needs, state, rows, shared, copies, model: embedding?.model })
  const change = createChange({ state, indexCache, rows })
  const search = createSearch({ ...needs, indexCache })
  const sessions = createMemorySessions(needs)
  const budget = createBudget({ ...needs, shared })
  const verdicts = createVerdicts(needs)
  const contents = createFiles({ ...needs, indexCache, change, budget, verdicts })
  const experiences = createExperiences({ ...needs, verdicts })
  const excluded = createExcluded({ ...needs, indexCache })

  return {
    ...createSync({ ...needs, files, change, state, excluded, budget }),
    search,
    /** The search of agents. */
    recall: async (query: string) => (await search({ query, maxResults: RECALLED })).chunks,
    files: contents,
    excluded,
    sessions,
    experiences,
    listVerdicts: verdicts.list,
    ...createGuidance({ ...needs, search, experiences }),
    warm: createWarm({ ...needs, indexCache, search, readNames: sessions.readNames }),
    stats: async () => {
      const { contents: held, lastSync } = await indexCache.withState()
      const method: SearchMethod = embedding ? 'hybrid' : 'lexical'
      const facts = { files: filesIn(held).length, chunks: chunkCount(held), lastSync, method }
      if (embedding === undefined) return facts
      const { model } = embedding
      const sumOverFiles = (of: typeof lackingIn) =>
        filesIn(held).reduce((sum, entry) => sum + of(entry, model), 0)
      const [withoutVector, refusedChunks] = [sumOverFiles(lackingIn), sumOverFiles(refusedIn)]
      return {
        ...facts,
        embeddingModel: model,
        ...(withoutVector > 0 ? { withoutVector } : {}),
        ...(refusedChunks > 0 ? { refusedChunks } : {}),
      }
    },
    watcher: async () => ({ ...watching(), lastSync: (await state.read()).lastSync ?? null }),
    clear: async (principal: Principal): Promise<{ files: number; chunks: number }> => {
      const cleared = await contents.clear()
      await audit(principal, 'memory.clear', cleared)
      return cleared
    },
  }
}
