import type { Unfit } from '../core/memory-path.ts'

/**
 * A memory file as a listing has it. A file whose tag and path are those of before has not changed since. One with `unfit`
 * is only named, and cannot be read: a markdown file, or a folder (its path ends in `/`), under a name that memory cannot
 * keep, a link to such, or a folder that is closed. Bytes of a name that are no UTF-8 are written as `\xff`.
 */
export type MemoryFile = { path: string; tag: string; size: number; unfit?: Unfit }

/** What a file holds; `too_large` for one of more than 1 MiB, undefined for one that is not there (any more). */
export type MemoryBytes = Uint8Array | 'too_large' | undefined

/**
 * Markdown files that people keep as memory; the service only reads them. A path is relative, has `/` between its
 * segments, ends in `.md` or `.markdown`, and has no hidden segment (`core/memory-path.ts`). Links are named and not
 * followed: nothing outside of the place is ever read. A place that is not there holds no files. A medium that fails rejects with
 * Problem `unavailable` `files_unavailable`.
 */
export interface MemoryFiles {
  /** All of them, unfit ones included, by path in code-unit order. */
  list(): Promise<MemoryFile[]>
  /** The bytes of a file, whole. A path that is none is a file that is not there. */
  read(path: string): Promise<MemoryBytes>
}
