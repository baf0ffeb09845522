// Rules that every adapter of the port `MemoryFiles` shares: which paths are memory files.

/** A larger file is not read. */
export const MOST_MEMORY_BYTES = 1_048_576
/** Files beyond this number are not read. */
export const MOST_MEMORY_FILES = 20_000

// The key of a row has at most 1,024 bytes, and so has a key of S3 with its prefix.
const LONGEST_PATH = 900
const MARKDOWN = /\.(?:md|markdown)$/i
// A path may not leave its root, hidden files are not read, and a name has to fit a log line.
const UNFIT_SEGMENT = /^$|^\.|[\p{Cc}\p{Zl}\p{Zp}\\\uFFFD]/u

export const isMemoryName = (name: string): boolean => name.isWellFormed() && !UNFIT_SEGMENT.test(name)

/** Why a listed file cannot be stored: its name, its kind, or a folder that cannot be read. */
export type Unfit = 'bad_name' | 'path_too_long' | 'link' | 'unreadable'

/** Whether memory skips a file or folder of this name, because it is hidden. */
export const isHidden = (name: string): boolean => name.startsWith('.')

/** Whether a path is too long for a memory file. All paths below such a folder are too long as well. */
export const isTooLong = (path: string): boolean => Buffer.byteLength(path) > LONGEST_PATH

/** Why a path of a markdown file cannot be a memory file; undefined for all other paths, hidden ones too. */
export const unfitness = (path: string): Unfit | undefined => {
  const segments = path.split('/')
  if (!MARKDOWN.test(path) || segments.some(isHidden)) return undefined
  if (!segments.every(isMemoryName)) return 'bad_name'
  return isTooLong(path) ? 'path_too_long' : undefined
}

/** Whether a relative path with `/` between its segments is a valid path of a memory file. */
export const isMemoryPath = (path: string): boolean =>
  MARKDOWN.test(path) && !isTooLong(path) && path.split('/').every(isMemoryName)
