import { hash } from 'node:crypto'
import { abortAfter } from '../core/deadline.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import { MOST_MEMORY_BYTES, MOST_MEMORY_FILES } from '../core/memory-path.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Embedding } from '../ports/embedding.ts'
import type { Log } from '../ports/log.ts'
import type { MemoryBytes, MemoryFile, MemoryFiles } from '../ports/memory-files.ts'
import { type BeginBudget, inBatches, unfinished } from './budget.ts'
import type { Change, Draft } from './change.ts'
import { type Contents, type FileEntry, filesIn } from './contents.ts'
import { embeddedAs, embedMissing, type KnownVectors, knownVectors } from './embed.ts'
import type { Excluded } from './files.ts'
import type { StoredChunk } from './rows.ts'
import type { ExcludedFile, SyncResult } from './schema.ts'
import { isLeaseHeld, type MemoryState } from './state.ts'
import { lackingIn } from './vectors.ts'

const MOST_NAMED = 100
/** The most consecutive unreadable files, before the sync fails because of the medium. */
const MOST_UNREADABLE = 20

type Needs = {
  files: MemoryFiles
  change: Change
  state: MemoryState
  excluded: Excluded
  clock: Clock
  budget: BeginBudget
  log: Pick<Log, 'warn'>
  embedding?: Embedding | undefined
}

type Outcome = { change?: 'added' | 'updated' | 'removed'; skipped?: ExcludedFile }
type Content = { bytes: Uint8Array; text: string }
/** A running sync: its draft, and the known vectors of texts. */
type Run = { draft: Draft; known: KnownVectors; failures: unknown[] }

export const createSync = ({ files, change, state, excluded, clock, budget, log, embedding }: Needs) => {
  let ending = false
  const stopped = new AbortController()
  const listFiles = async () => {
    const all = await files.list()
    return { listed: all.slice(0, MOST_MEMORY_FILES), over: all.slice(MOST_MEMORY_FILES) }
  }

  /** The content of a file, why it cannot be stored, or undefined when it no longer exists. */
  const readContent = async (
    { path, size, unfit }: MemoryFile,
    { failures }: Run,
  ): Promise<Content | ExcludedFile | undefined> => {
    if (unfit !== undefined) return { path, reason: unfit }
    if (size > MOST_MEMORY_BYTES) return { path, reason: 'too_large' }
    let bytes: MemoryBytes
    try {
      bytes = await files.read(path)
    } catch (thrown) {
      if (!(thrown instanceof Problem) || failures.push(thrown) > MOST_UNREADABLE) throw thrown
      return { path, reason: 'unreadable' }
    }
    failures.length = 0
    if (bytes === undefined) return undefined
    return bytes === 'too_large' ? { path, reason: bytes } : decodeText(path, bytes)
  }

  const remove = async (draft: Draft, entry: FileEntry | undefined): Promise<Outcome> => {
    const isGone = entry !== undefined && (await draft.remove(entry))
    return isGone && !entry.removed ? { change: 'removed' } : {}
  }

  const ingest = async (run: Run, file: MemoryFile): Promise<Outcome> => {
    const before = run.draft.contents().get(file.path)
    const content = await readContent(file, run)
    if (content === undefined) return remove(run.draft, before)
    if (!('reason' in content)) return keep(run, file, before, content)
    // An unreadable file keeps its earlier content.
    const gone = content.reason === 'unreadable' ? {} : await remove(run.draft, before)
    return { ...gone, skipped: content }
  }

  const keep = async (
    { draft, known }: Run,
    { path, tag }: MemoryFile,
    before: FileEntry | undefined,
    { bytes, text }: Content,
  ): Promise<Outcome> => {
    const digest = hash('sha256', bytes, 'hex')
    if (before?.hash === digest) {
      // The content is unchanged: a chunk that a user removed stays removed.
      await draft.put({ ...before, tag })
      return {}
    }
    const { chunkMarkdown } = await import('./chunker.ts')
    const chunks = chunkMarkdown(path, text)
    const facts = { path, tag, hash: digest, size: bytes.length, updatedAt: iso(clock.now()) }
    const vectors = embedding ? embeddedAs(chunks, known, embedding.model) : {}
    const rated = remainingRatings(before ?? {}, chunks)
    if (!(await draft.put({ ...facts, chunks, ...vectors, ...rated }))) return {}
    return { change: before && !before.removed ? 'updated' : 'added' }
  }

  /** Undefined when each chunk has its vector. A failed model does not fail the sync. */
  const embedAll = async (
    { draft, known }: Run,
    leftMs: number,
    asksForSize: boolean,
  ): Promise<SyncResult['embedding']> => {
    if (embedding === undefined) return undefined
    using limit = abortAfter(clock, leftMs)
    const signal = AbortSignal.any([stopped.signal, limit.signal])
    // The words are published before the model is done. `embeddedBy` stays empty until all have their vectors, so that
    // checks continue the work.
    if (missingIn(draft.contents(), embedding.model) > 0) await draft.publish({ embeddedBy: '' })
    try {
      const paths = await embedMissing({ draft, embedding, known, signal, asksForSize })
      if (paths.length > 0)
        log.warn({ paths: paths.slice(0, MOST_NAMED) }, 'the embedding model refused texts of memory')
      return undefined
    } catch (thrown) {
      const missing = missingIn(draft.contents(), embedding.model)
      if (limit.signal.aborted) throw unfinished(`${missing} chunks have no vector yet`)
      if (stopped.signal.aborted || !(thrown instanceof Problem)) throw thrown
      log.warn({ missing, reason: errorMessage(thrown) }, 'chunks of memory have no vectors yet')
      return { missing, reason: errorMessage(thrown) }
    }
  }

  const syncDraft =
    (isAskedFor: boolean) =>
    async (draft: Draft): Promise<SyncResult> => {
      const { leftMs, isOver: isSpent } = budget()
      const { listed, over } = await listFiles()
      const { unknown, gone } = differences(draft.contents(), listed)
      const isOver = () => ending || isSpent()
      const known = embedding ? knownVectors(draft.contents(), embedding.model) : new Map()
      const run: Run = { draft, known, failures: [] }
      const outcomes: Outcome[] = [
        ...over.map(({ path }) => ({ skipped: { path, reason: 'too_many' as const } })),
        ...(await inBatches(unknown, isOver, (file) => ingest(run, file))),
        // Removed last: the vectors of a renamed file stay known until it has its new name.
        ...(await inBatches(gone, isOver, (entry) => remove(draft, entry))),
      ]
      const skipped = outcomes.flatMap((outcome) => outcome.skipped ?? [])
      await excluded.note(skipped)
      const failed = await embedAll(run, leftMs(), isAskedFor)
      // A listing with unreadable files must not count as read.
      const listing = skipped.some(({ reason }) => reason === 'unreadable') ? '' : listingHash(listed)
      // No model while vectors are missing, so that the next check continues.
      const embeddedBy = embedding && { embeddedBy: failed ? '' : embedding.model }
      draft.note({ lastSync: iso(clock.now()), listing, ...embeddedBy })
      const result = toSyncResult(outcomes, filesIn(draft.contents()).length)
      return failed ? { ...result, embedding: failed } : result
    }

  return {
    /** Ends the running sync: the current files are stored, and the next process does the rest. */
    endSync: (): void => {
      ending = true
      stopped.abort(new Problem('unavailable', 'memory_sync_unfinished', 'The service is stopping'))
    },
    sync: (): Promise<SyncResult> => change(syncDraft(true)),
    /** For callers that poll: two small reads when nothing has changed. */
    syncIfChanged: async (): Promise<SyncResult | undefined> => {
      const [{ listed }, stored] = await Promise.all([listFiles(), state.read()])
      const { listing, embeddedBy: by } = stored
      const isTorn = stored.leaseToken !== undefined && !isLeaseHeld(stored, clock.now())
      const isEmbedded = embedding === undefined || by === embedding.model
      const isSame =
        listing === undefined ? listed.length === 0 : listing === listingHash(listed) && isEmbedded
      if (!isTorn && isSame) return undefined
      return change(syncDraft(false))
    },
  }
}

const remainingRatings = ({ rated = {} }: Partial<FileEntry>, chunks: readonly StoredChunk[]) => {
  const ratings = chunks.flatMap(({ id }) => (rated[id] === undefined ? [] : [[id, rated[id]]]))
  return ratings.length > 0 ? { rated: Object.fromEntries(ratings) } : {}
}

const missingIn = (contents: Contents, model: string): number =>
  filesIn(contents).reduce((sum, entry) => sum + lackingIn(entry, model), 0)

const listingHash = (files: readonly MemoryFile[]) =>
  hash('sha256', JSON.stringify(files.map(({ path, tag }) => [path, tag])), 'base64url')

/** The files that have to be read, and the entries whose files no longer exist. */
const differences = (contents: Contents, files: readonly MemoryFile[]) => {
  const there = new Set(files.map(({ path }) => path))
  // Entries of an unreadable folder keep their content.
  const closed = files.flatMap(({ path, unfit }) =>
    unfit === 'unreadable' && path.endsWith('/') ? [path] : [],
  )
  const isClosed = (path: string) => closed.some((folder) => path.startsWith(folder))
  return {
    unknown: files.filter(({ path, tag }) => contents.get(path)?.tag !== tag),
    gone: [...contents.values()].filter(({ path }) => !there.has(path) && !isClosed(path)),
  }
}

const decodeText = (path: string, bytes: Uint8Array): Content | ExcludedFile => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? { path, reason: 'binary' } : { bytes, text }
  } catch {
    return { path, reason: 'not_utf8' }
  }
}

const toSyncResult = (outcomes: readonly Outcome[], synced: number): SyncResult => {
  const countChanges = (wanted: Outcome['change']) =>
    outcomes.filter(({ change }) => change === wanted).length
  const skipped = outcomes.flatMap((outcome) => outcome.skipped ?? [])
  return {
    synced,
    added: countChanges('added'),
    updated: countChanges('updated'),
    removed: countChanges('removed'),
    ...(skipped.length > 0 ? { skipped: skipped.slice(0, MOST_NAMED) } : {}),
  }
}
