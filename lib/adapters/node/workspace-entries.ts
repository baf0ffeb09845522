import type { Dirent, Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'

/**
 * An entry below a folder. `path` is relative, and as bytes, since a name need not be UTF-8. A link is of kind `link`,
 * whatever its target is; pipes, sockets and devices are `special`. An unreadable folder has no entries.
 */
type Entry = {
  path: Buffer
  name: Buffer
  kind: 'file' | 'folder' | 'link' | 'special'
  bytes: number
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

/** The bytes of a path below a folder. */
export const pathBelow = (folder: string, path: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${folder}/`), path])

/**
 * The entries below `root`, except those for which `skips` is true, and what is below them. Neither follows links nor
 * opens files. `uid` is the user for whom an entry is readable or not; the service's own when absent.
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
    // It may have vanished, or its folder may not be entered.
    const stats = await lstat(pathBelow(root, path)).catch(() => undefined)
    if (stats === undefined) return undefined
    const kind = kindIn(stats)
    return { path, name, kind, bytes: stats.size, isReadable: kind === 'link' || mayRead(stats, uid) }
  }

  const folders: (Buffer | undefined)[] = [undefined]
  while (folders.length > 0) {
    const folder = folders.pop()
    const place = folder === undefined ? root : pathBelow(root, folder)
    // A path that is longer than the system allows has no entries either.
    const names = await readdir(place, { withFileTypes: true, encoding: 'buffer' }).catch(() => [])
    const kept = names.filter(({ name }) => !skips(name, folder))
    for (const entry of await Promise.all(kept.map((name) => entryAt(folder, name)))) {
      if (entry === undefined) continue
      yield entry
      if (entry.kind === 'folder' && entry.isReadable) folders.push(entry.path)
    }
  }
}
