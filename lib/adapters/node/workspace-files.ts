import { constants, type Dirent, type Stats } from 'node:fs'
import { chown, type FileHandle, lstat, mkdir, open, opendir, readlink, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { cutText } from '../../core/cut-text.ts'
import { Problem } from '../../core/errors.ts'
import type { Workspace, WorkspaceFile } from '../../ports/workspace.ts'
import { locateIn } from './workspace-path.ts'

// The last segment must not have become a link since it was resolved, and a pipe must not block the service.
const SAFELY = constants.O_NOFOLLOW | constants.O_NONBLOCK

const outside = (path: string) => new Problem('invalid', 'path_outside', `${path} is outside the workspace`)
const absent = (path: string) => new Problem('invalid', 'path_missing', `${path} does not exist`)
const unfit = (path: string, why: string) => new Problem('invalid', 'path_unfit', `${path} ${why}`)

const reasons: Readonly<Record<string, (path: string) => Problem>> = {
  ENOENT: absent,
  ELOOP: outside,
  EISDIR: (path) => unfit(path, 'is a folder'),
  EEXIST: (path) => unfit(path, 'has a file where a folder is needed'),
  ENOTDIR: (path) => unfit(path, 'has a file where a folder is needed'),
  ENXIO: (path) => unfit(path, 'is not a regular file'),
  EACCES: (path) => unfit(path, 'may not be accessed'),
  ENAMETOOLONG: (path) => unfit(cutText(path, 80), 'is too long a name'),
}

const explained = async <Value>(path: string, work: () => Promise<Value>): Promise<Value> => {
  try {
    return await work()
  } catch (thrown) {
    const reason = reasons[(thrown as NodeJS.ErrnoException).code ?? '']
    throw reason ? reason(path) : thrown
  }
}

/**
 * Runs `work` in a folder that is held open, if it is still the folder that was resolved: a program of the agent may have
 * replaced it, or a parent, by a link. Only Linux has paths for open folders.
 */
const within = async <Value>(
  folder: string | Buffer,
  work: (openFolder: string) => Promise<Value>,
): Promise<Value> => {
  if (process.platform !== 'linux') return work(String(folder))
  await using handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  const openFolder = `/proc/self/fd/${handle.fd}`
  if (!(await readlink(openFolder, 'buffer')).equals(Buffer.from(folder)))
    throw outside(basename(String(folder)))
  return await work(openFolder)
}

const openAt = (place: string, flags: number, mode?: number): Promise<FileHandle> =>
  within(dirname(place), (openFolder) => open(join(openFolder, basename(place)), flags | SAFELY, mode))

const fileText = (bytes: Buffer, cut: boolean, path: string): string => {
  if (bytes.includes(0)) throw unfit(path, 'is a binary file')
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: cut })
  } catch {
    throw unfit(path, 'is not UTF-8 text')
  }
}

const readSome = async (file: FileHandle, most: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(most)
  let filled = 0
  while (filled < most) {
    const { bytesRead } = await file.read(buffer, filled, most - filled, filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

const marked = (entry: Dirent): string => {
  if (entry.isSymbolicLink()) return `${entry.name}@`
  return entry.isDirectory() ? `${entry.name}/` : entry.name
}

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  )

/**
 * Refuses a file of another user: a program may have made a hard link to one that it cannot read or write itself. `owner` is
 * undefined where programs run as the service's own user.
 */
const refuseForeign = (stats: Stats, owner: number | undefined, path: string): void => {
  if (owner !== undefined && stats.uid !== owner) throw unfit(path, 'belongs to another user')
}

/** Opens a file to write it, and makes a missing one: with `O_EXCL` it is known to be new. */
const openToWrite = async (place: string): Promise<{ file: FileHandle; created: boolean }> => {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants
  try {
    return { file: await openAt(place, O_WRONLY | O_CREAT | O_EXCL, 0o644), created: true }
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
    return { file: await openAt(place, O_WRONLY), created: false }
  }
}

type Owner = number | undefined

const writeAt = async (place: string, data: string | Buffer, owner: Owner, path: string) => {
  const { file, created } = await openToWrite(place)
  await using _closed = file
  const stats = await file.stat()
  if (!stats.isFile()) throw unfit(path, 'is not a regular file')
  if (!created) refuseForeign(stats, owner, path)
  else if (owner !== undefined) await file.chown(owner, owner)
  await file.truncate(0)
  await file.writeFile(data)
  return { created }
}

/**
 * Writes a file of the service below a folder of a workspace, whose real path `folder` is. Programs that run as `owner` can
 * put a link in its place, or in that of its parent: it is not followed.
 */
export const writeBelow = async (
  folder: string,
  name: string,
  data: string | Buffer,
  owner: Owner,
): Promise<string> => {
  const place = join(folder, name)
  await writeAt(place, data, owner, name)
  return place
}

/** A folder of the service below a folder of a workspace, made unless it is there. */
export const makeBelow = async (folder: string, name: string, owner: Owner): Promise<void> => {
  const made = await within(folder, (openFolder) => mkdir(join(openFolder, name))).catch((thrown) => thrown)
  if (made?.code === 'EEXIST') return
  if (made) throw made
  if (owner !== undefined) await within(join(folder, name), (place) => chown(place, owner, owner))
}

/** The bytes of a file below a folder of a workspace, under the same conditions; undefined where they are more than `most`. */
export const readBelow = async (
  folder: string,
  name: string,
  most: number,
  owner: Owner,
): Promise<Buffer | undefined> => {
  await using file = await openAt(join(folder, name), constants.O_RDONLY)
  const stats = await file.stat()
  refuseForeign(stats, owner, name)
  return stats.size > most ? undefined : readSome(file, stats.size)
}

/** Removes a file below a folder of a workspace, under the same conditions. `path` is relative. */
export const removeBelow = async (folder: string, path: Buffer): Promise<void> => {
  const [at, slash] = [path.lastIndexOf('/'), Buffer.from('/')]
  const parent =
    at < 0 ? Buffer.from(folder) : Buffer.concat([Buffer.from(folder), slash, path.subarray(0, at)])
  const name = path.subarray(at + 1)
  await within(parent, (openFolder) => unlink(Buffer.concat([Buffer.from(openFolder), slash, name])))
}

type Options = {
  /** The owner of the files, so that programs can write to them; absent: the service's own user. */
  owner?: () => Promise<Owner>
  locator?: typeof locateIn
}

/** The file verbs of a workspace with a real root (absolute, without symlinks). */
export const workspaceFiles = (
  root: string,
  { owner = async () => undefined, locator = locateIn }: Options = {},
): Pick<Workspace, 'locate' | 'list' | 'read' | 'write'> => {
  const locate = (path: string) => locator(root, path)

  const realPlace = async (path: string): Promise<string> => {
    const real = await locate(path)
    if (real === undefined) throw outside(path)
    return join(root, real)
  }

  const read = async (path: string, mostBytes: number): Promise<WorkspaceFile> => {
    await using file = await openAt(await realPlace(path), constants.O_RDONLY)
    const stat = await file.stat()
    if (!stat.isFile()) throw unfit(path, stat.isDirectory() ? 'is a folder' : 'is not a regular file')
    refuseForeign(stat, await owner(), path)
    const truncated = stat.size > mostBytes
    const bytes = await readSome(file, Math.min(stat.size, mostBytes))
    return { text: fileText(bytes, truncated, path), bytes: stat.size, truncated }
  }

  /** Makes folders one by one, each within the one that is held open, so that none is made outside. */
  const makeFolders = async (folder: string): Promise<void> => {
    if (folder === root || (await exists(folder))) return
    await makeFolders(dirname(folder))
    await makeBelow(dirname(folder), basename(folder), await owner())
  }

  const write = async (path: string, text: string): Promise<{ created: boolean }> => {
    const place = await realPlace(path)
    await makeFolders(dirname(place))
    return writeAt(place, text, await owner(), path)
  }

  const list = async (path: string, most: number) => {
    const names: string[] = []
    const truncated = await within(await realPlace(path), async (openFolder) => {
      for await (const entry of await opendir(openFolder)) {
        if (entry.name === '.git') continue
        if (names.length === most) return true
        names.push(marked(entry))
      }
      return false
    })
    return { names: names.sort(), truncated }
  }

  return {
    locate,
    list: (path, most) => explained(path, () => list(path, most)),
    read: (path, mostBytes) => explained(path, () => read(path, mostBytes)),
    write: (path, text) => explained(path, () => write(path, text)),
  }
}
