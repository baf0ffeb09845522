import { hash } from 'node:crypto'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { MemoryFile, MemoryFiles } from '../ports/memory-files.ts'
import type { Draft } from './change.ts'
import type { FileEntry } from './contents.ts'
import type { SyncResult } from './schema.ts'

type Skipped = NonNullable<SyncResult['skipped']>[number]
/** What became of one file. */
export type Outcome = { change?: 'added' | 'updated' | 'removed'; skipped?: Skipped }
type Content = { bytes: Uint8Array; text: string }

/** Takes files into memory and out of it. */
export const createIngest = ({ files, clock }: { files: MemoryFiles; clock: Clock }) => {
  /** What a file holds, why it cannot be kept, or undefined where it is gone. */
  const contentOf = async (path: string): Promise<Content | Skipped | undefined> => {
    const bytes = await files.read(path)
    if (bytes === undefined) return undefined
    if (bytes === 'too_large') return { path, reason: bytes }
    const text = textOf(bytes)
    return text === undefined ? { path, reason: 'not_utf8' } : { bytes, text }
  }

  /** Takes out what a file was. */
  const remove = async (draft: Draft, entry: FileEntry | undefined): Promise<Outcome> => {
    const isGone = entry !== undefined && (await draft.remove(entry))
    return isGone && !entry.removed ? { change: 'removed' } : {}
  }

  /** Takes in what a file has become. */
  const ingest = async (draft: Draft, { path, tag, unfit }: MemoryFile): Promise<Outcome> => {
    if (unfit !== undefined) return { skipped: { path, reason: unfit } }
    const before = draft.contents().get(path)
    const content = await contentOf(path)
    if (content === undefined) return remove(draft, before)
    if ('reason' in content) return { ...(await remove(draft, before)), skipped: content }
    const digest = hash('sha256', content.bytes, 'hex')
    if (before?.hash === digest) {
      // Touched, not edited: what was deleted of it by hand stays deleted.
      await draft.put({ ...before, tag })
      return {}
    }
    const { chunkMarkdown } = await import('./chunker.ts')
    const chunks = chunkMarkdown(path, content.text)
    const entry = { path, tag, hash: digest, size: content.bytes.length, updatedAt: iso(clock.now()), chunks }
    if (!(await draft.put(entry))) return {}
    return { change: before && !before.removed ? 'updated' : 'added' }
  }

  return { ingest, remove }
}

/** The text of a file, undefined for bytes that are none. */
const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
