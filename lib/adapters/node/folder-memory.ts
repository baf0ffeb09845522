import { isUtf8 } from 'node:buffer'
import { type BigIntStats, constants, type Dirent } from 'node:fs'
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { filesUnavailable, reachFiles } from '../../core/blob.ts'
import {
  isHidden,
  isMemoryName,
  isMemoryPath,
  isTooLong,
  MOST_MEMORY_BYTES,
  type Unfit,
  unfitness,
} from '../../core/memory-path.ts'
import type { Clock } from '../../ports/clock.ts'
import type { MemoryBytes, MemoryFile, MemoryFiles } from '../../ports/memory-files.ts'

/** A file that was written this recently may be written again within the same tick of the file system's clock. */
const FRESH_MS = 2_000

const hasCode = (thrown: unknown, codes: readonly string[]) =>
  codes.includes((thrown as NodeJS.ErrnoException).code ?? '')

/** For a promise's `catch`: a file that no longer exists, or a path that is not a folder. */
const orGone = (thrown: unknown): undefined => {
  if (!hasCode(thrown, ['ENOENT', 'ENOTDIR', 'ELOOP'])) throw thrown
}

/** For a promise's `catch`: a file without read permission. */
const orUnreadable = (thrown: unknown): 'unreadable' => {
  if (hasCode(thrown, ['EACCES', 'EPERM'])) return 'unreadable'
  throw thrown
}

const folderUnfitness = (name: string, path: string): Unfit | undefined => {
  if (!isMemoryName(name)) return 'bad_name'
  return isTooLong(path) ? 'path_too_long' : undefined
}

/** A link that would be read if it were its target. */
const linkAt = async (root: string, path: string): Promise<MemoryFile[]> => {
  if (isMemoryPath(path) || unfitness(path) !== undefined) return [named(path, 'link')]
  const isFolder = await stat(join(root, path)).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
  return isFolder ? [named(`${path}/`, 'link')] : []
}

const named = (path: string, unfit: Unfit): MemoryFile => ({ path, tag: unfit, size: 0, unfit })

/** A name as text. A name that is not UTF-8 gets a backslash, which no name of a memory file may have. */
const shownName = (bytes: Buffer): string =>
  isUtf8(bytes)
    ? bytes.toString()
    : bytes
        .toString('latin1')
        .replace(/[^ -~]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** Markdown files below a folder, which may be a link itself; no link below it is followed. */
export const createFolderMemory = ({ folder, clock }: { folder: string; clock: Clock }): MemoryFiles => {
  const fileTag = ({ ctimeNs, mtimeNs, size, ino }: BigIntStats) => {
    const tag = `${ctimeNs}-${mtimeNs}-${size}-${ino}`
    const age = clock.now() - Number(ctimeNs / 1_000_000n)
    return age < FRESH_MS ? `${tag}-${clock.now()}` : tag
  }

  const fileAt = async (root: string, path: string): Promise<MemoryFile[]> => {
    const stats = await lstat(join(root, path), { bigint: true }).catch(orGone).catch(orUnreadable)
    // Its folder may be readable without access to its files.
    if (stats === 'unreadable') return [named(path, stats)]
    return stats?.isFile() ? [{ path, tag: fileTag(stats), size: Number(stats.size) }] : []
  }

  const walk = async (root: string, above: string): Promise<MemoryFile[]> => {
    // As bytes: a name need not be UTF-8.
    const options = { withFileTypes: true, encoding: 'buffer' } as const
    const reading = readdir(join(root, above), options).catch(orGone)
    // The root has to be readable; an unreadable folder below it does not affect the others.
    const entries = await (above === '' ? reading : reading.catch(orUnreadable))
    if (entries === 'unreadable') return [named(above, entries)]
    if (entries === undefined) return []
    const files: MemoryFile[] = []
    for (const entry of entries) files.push(...(await below(root, above, entry)))
    return files
  }

  const below = async (root: string, above: string, entry: Dirent<Buffer>): Promise<MemoryFile[]> => {
    const name = shownName(entry.name)
    const path = above + name
    if (isHidden(name)) return []
    if (entry.isDirectory()) {
      const unfit = folderUnfitness(name, path)
      // No file below it could be stored either.
      return unfit === undefined ? walk(root, `${path}/`) : [named(`${path}/`, unfit)]
    }
    if (entry.isSymbolicLink()) return linkAt(root, path)
    if (!entry.isFile()) return []
    if (isMemoryPath(path)) return fileAt(root, path)
    const unfit = unfitness(path)
    return unfit === undefined ? [] : [named(path, unfit)]
  }

  return {
    list: () =>
      reachFiles(async () => {
        const root = await realpath(folder).catch(orGone)
        const files = root === undefined ? [] : await walk(root, '')
        return files.sort((a, b) => (a.path < b.path ? -1 : 1))
      }),
    read: async (path) => {
      if (!isMemoryPath(path)) return undefined
      return reachFiles(() => readBelow(folder, path).catch(orGone))
    },
  }
}

const readBelow = async (folder: string, path: string): Promise<MemoryBytes> => {
  const file = join(await realpath(folder), path)
  // A folder of the path may be a link.
  if ((await realpath(dirname(file))) !== dirname(file)) return undefined
  // The file may be a link, or a pipe, which must not block the service.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  await using handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const stats = await handle.stat()
  if (!stats.isFile()) return undefined
  // The file may grow while it is read: no more than this is stored.
  const bytes = Buffer.alloc(Math.min(stats.size, MOST_MEMORY_BYTES) + 1)
  let length = 0
  for (let read = -1; read !== 0 && length < bytes.length; length += read)
    read = (await handle.read(bytes, length, bytes.length - length)).bytesRead
  if (length > MOST_MEMORY_BYTES) return 'too_large'
  if (length > stats.size) throw filesUnavailable('one was being written')
  return bytes.subarray(0, length)
}
