import type { Dirent, Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'

/**
 * An entry below a folder. `path` is relative, and as bytes, since a name need not be UTF-8. A link is of kind `link`,
 * also one to a folder; pipes, sockets and devices are `special`. An unreadable folder has no entries.
 */
type Entry = {
  path: Buffer
  name: Buffer
  kind: 'file' | 'folder' | 'link' | 'special'
  bytes: number
  uid: number
  isReadable: boolean
}

const READ = 0o4
const READ_AND_ENTER = 0o5

/** Whether a user may read a file, or list a folder and reach its entries; root may read everything. */
const mayRead = (stats: Stats, uid: number | undefined): boolean => {
  if (uid === 0 || uid === undefined) return true
  const needed = stats.isDirectory() ? READ_AND_ENTER : READ
  const granted = stats.uid === uid ? stats.mode >> 6 : stats.mode
  return (granted & needed) === needed
}

const kindIn = (entry: Stats): Entry['kind'] => {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'special'
}

// It has vanished, its folder may not be entered, or its path is longer than the system allows.
const ABSENT = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG']

/** For a promise's `catch`: a value for an entry that cannot be reached; rethrows any other error. */
const orAbsent =
  <Value>(value: Value) =>
  (thrown: unknown): Value => {
    if (ABSENT.includes((thrown as NodeJS.ErrnoException).code ?? '')) return value
    throw thrown
  }

export const pathBelow = (folder: string, path: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${folder}/`), path])

/**
 * The entries below `root`, except those for which `skips` is true, and what is below them. Neither follows links nor
 * opens files. What is in a folder follows the folder. `uid` is the user for whom an entry is readable or not; the
 * service's own when absent.
 */
export async function* entriesBelow(
  root: string,
  skips: (name: Buffer, folder: Buffer | undefined) => boolean,
  uid = process.getuid?.(),
): AsyncGenerator<Entry> {
  const entryAt = async (
    folder: Buffer | undefined,
    { name }: Dirent<Buffer>,
  ): Promise<Entry | undefined> => {
    const path = folder === undefined ? name : Buffer.concat([folder, Buffer.from('/'), name])
    const stats = await lstat(pathBelow(root, path)).catch(orAbsent(undefined))
    if (stats === undefined) return undefined
    const kind = kindIn(stats)
    const isReadable = kind === 'link' || mayRead(stats, uid)
    return { path, name, kind, bytes: stats.size, uid: stats.uid, isReadable }
  }

  const entriesIn = async (folder: Buffer | undefined): Promise<Entry[]> => {
    const place = folder === undefined ? root : pathBelow(root, folder)
    const names = await readdir(place, { withFileTypes: true, encoding: 'buffer' }).catch(orAbsent([]))
    const kept = names.filter(({ name }) => !skips(name, folder))
    const entries = await Promise.all(kept.map((name) => entryAt(folder, name)))
    return entries.filter((entry) => entry !== undefined)
  }

  const next = await entriesIn(undefined)
  for (let entry = next.pop(); entry !== undefined; entry = next.pop()) {
    yield entry
    if (entry.kind === 'folder' && entry.isReadable)
      for (const below of await entriesIn(entry.path)) next.push(below)
  }
}
