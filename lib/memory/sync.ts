import { hash } from 'node:crypto'
import { Problem } from '../core/errors.ts'
import { MOST_MEMORY_FILES } from '../core/memory-path.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Embedding } from '../ports/embedding.ts'
import type { MemoryFile, MemoryFiles } from '../ports/memory-files.ts'
import { inBatches } from './batches.ts'
import type { Budget } from './budget.ts'
import type { Change, Draft } from './change.ts'
import type { Contents } from './contents.ts'
import { filesIn } from './contents.ts'
import { embedMissing, knownVectors } from './embed.ts'
import { createIngest, type Outcome } from './ingest.ts'
import type { SyncResult } from './schema.ts'
import type { MemoryState } from './state.ts'

const MOST_NAMED = 100

type Needs = {
  files: MemoryFiles
  change: Change
  state: MemoryState
  clock: Clock
  budget: Budget
  embedding?: Embedding | undefined
}

/** Brings memory in step with its files. */
export const createSync = ({ files, change, state, clock, budget, embedding }: Needs) => {
  let ending = false
  const stopped = new AbortController()
  const listed = async () => {
    const all = await files.list()
    return { found: all.slice(0, MOST_MEMORY_FILES), over: all.slice(MOST_MEMORY_FILES) }
  }
  const { ingest, remove } = createIngest({ files, clock })

  const syncDraft = async (draft: Draft): Promise<SyncResult> => {
    const isSpent = budget()
    const { found, over } = await listed()
    const { unknown, gone } = differences(draft.contents(), found)
    const isOver = () => ending || isSpent()
    const known = embedding && knownVectors(draft.contents(), embedding.model)
    const outcomes: Outcome[] = [
      ...over.map(({ path }) => ({ skipped: { path, reason: 'too_many' as const } })),
      ...(await inBatches(gone, isOver, (entry) => remove(draft, entry))),
      ...(await inBatches(unknown, isOver, (file) => ingest(draft, file))),
    ]
    if (embedding && known) await embedMissing(draft, embedding, known, stopped.signal)
    const by = embedding ? { embeddedBy: embedding.model } : {}
    draft.note({ lastSync: iso(clock.now()), listing: listingOf(found), ...by })
    return resultOf(outcomes, filesIn(draft.contents()).length)
  }

  return {
    /** What is being taken in is stored, and the rest left to the next process. */
    endSync: (): void => {
      ending = true
      stopped.abort(ended())
    },
    sync: (): Promise<SyncResult> => change(syncDraft),
    /** For callers that poll: two small reads where nothing has changed. */
    syncIfChanged: async (): Promise<SyncResult | undefined> => {
      const [{ found }, { listing, leaseToken, leaseUntil = 0, embeddedBy }] = await Promise.all([
        listed(),
        state.read(),
      ])
      const isTorn = leaseToken !== undefined && leaseUntil <= clock.now()
      const isEmbedded = embedding === undefined || embeddedBy === embedding.model
      const isSame = listing === undefined ? found.length === 0 : listing === listingOf(found) && isEmbedded
      if (!isTorn && isSame) return undefined
      return change(syncDraft)
    },
  }
}

const listingOf = (found: readonly MemoryFile[]) =>
  hash('sha256', JSON.stringify(found.map(({ path, tag }) => [path, tag])), 'base64url')

/** The files that have to be read, and the entries whose files are gone. */
const differences = (contents: Contents, found: readonly MemoryFile[]) => {
  const there = new Set(found.map(({ path }) => path))
  return {
    unknown: found.filter(({ path, tag }) => contents.get(path)?.tag !== tag),
    gone: [...contents.values()].filter(({ path }) => !there.has(path)),
  }
}

const resultOf = (outcomes: readonly Outcome[], synced: number): SyncResult => {
  const countOf = (wanted: Outcome['change']) => outcomes.filter(({ change }) => change === wanted).length
  const skipped = outcomes.flatMap((outcome) => outcome.skipped ?? [])
  return {
    ...{ synced, added: countOf('added'), updated: countOf('updated'), removed: countOf('removed') },
    ...(skipped.length > 0 ? { skipped: skipped.slice(0, MOST_NAMED) } : {}),
  }
}

const ended = () => new Problem('unavailable', 'memory_sync_unfinished', 'The service is stopping')
