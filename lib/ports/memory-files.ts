import type { Unfit } from '../core/memory-path.ts'

/**
 * A memory file in a listing. A file with an unchanged tag and path has not changed. An entry with `unfit` cannot be
 * read: it is a markdown file, or a folder (its path ends in `/`), whose name memory cannot store, or a link to one, or a
 * folder without read permission. Bytes of a name that are not UTF-8 are written as `\xff`.
 */
export type MemoryFile = { path: string; tag: string; size: number; unfit?: Unfit }

/** The content of a file; `too_large` for more than 1 MiB, undefined for a file that does not exist (any more). */
export type MemoryBytes = Uint8Array | 'too_large' | undefined

/**
 * Markdown files that people write as memory; the service only reads them. A path is relative, has `/` between its
 * segments, ends in `.md` or `.markdown`, and has no hidden segment (`core/memory-path.ts`). Links are listed and not
 * followed: nothing outside of the folder is read. A missing folder is an empty one. A medium that fails rejects with
 * Problem `unavailable` `files_unavailable`.
 */
export interface MemoryFiles {
  /** All files, unfit ones included, by path in code-unit order. */
  list(): Promise<MemoryFile[]>
  /** The bytes of a file. An invalid path is a file that does not exist. */
  read(path: string): Promise<MemoryBytes>
}
