// What is common to every adapter of the port `MemoryFiles`: which names are those of memory files.

/** A file of more bytes is not read. */
export const MOST_MEMORY_BYTES = 1_048_576
/** More files than this are not looked at. */
export const MOST_MEMORY_FILES = 20_000

// A row's key ends at 1,024 bytes, and S3's own with the prefix before it.
const LONGEST_PATH = 900
const MARKDOWN = /\.(?:md|markdown)$/i
// No file system and no prefix may be left, nothing hidden is read, and a name has to survive a log line.
const UNFIT_SEGMENT = /^$|^\.|[\p{Cc}\p{Zl}\p{Zp}\\\uFFFD]/u

/** Whether a name of a folder or file is one that memory looks at. */
export const isMemoryName = (name: string): boolean => name.isWellFormed() && !UNFIT_SEGMENT.test(name)

/** Why a file that is looked at cannot be kept: for its name, for what it is, or since its folder cannot be read. */
export type Unfit = 'bad_name' | 'path_too_long' | 'link' | 'unreadable'

/** Whether a file or folder of that name is passed over: what is hidden was not put there to be read. */
export const isHidden = (name: string): boolean => name.startsWith('.')

/** Whether a path is too long for a memory file; each one below such a folder is longer still. */
export const isTooLong = (path: string): boolean => Buffer.byteLength(path) > LONGEST_PATH

/** Why a path is none for a memory file although it names a markdown file in no hidden folder; undefined for all others. */
export const unfitness = (path: string): Unfit | undefined => {
  const segments = path.split('/')
  if (!MARKDOWN.test(path) || segments.some(isHidden)) return undefined
  if (!segments.every(isMemoryName)) return 'bad_name'
  return isTooLong(path) ? 'path_too_long' : undefined
}

/** Whether a path, relative and with `/` between its segments, is that of a memory file. */
export const isMemoryPath = (path: string): boolean =>
  MARKDOWN.test(path) && !isTooLong(path) && path.split('/').every(isMemoryName)
