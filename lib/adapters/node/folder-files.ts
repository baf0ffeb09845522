import { constants } from 'node:fs'
import { lstat, mkdir, open, realpath, rename, rm, rmdir, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { filesUnavailable } from '../../core/blob.ts'

// Files below a root (itself real) that is the service's own. No link below it is followed.

const codeOf = (thrown: unknown) => (thrown as NodeJS.ErrnoException).code

/** What the call answers; undefined when what it wants is not there, though the root is. */
export const ifThere = async <T>(root: string, call: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await call()
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown
    await lstat(root)
    return undefined
  }
}

const foreign = () => filesUnavailable('a link or something else foreign stands in the way')

/** Makes the folders below the root one by one: a recursive `mkdir` would follow a link. */
const makeFolders = async (root: string, folder: string): Promise<void> => {
  if (folder === root) return
  await makeFolders(root, dirname(folder))
  await mkdir(folder, { mode: 0o700 }).catch((thrown: unknown) => {
    if (codeOf(thrown) !== 'EEXIST') throw thrown
  })
  if (!(await lstat(folder)).isDirectory()) throw foreign()
}

/** Writes a new file and makes its bytes durable, though not yet its name. */
export const write = (root: string, draft: string, bytes: Uint8Array): Promise<void> =>
  orErased(draft, async () => {
    await makeFolders(root, dirname(draft))
    await using file = await open(draft, 'wx', 0o600)
    await file.writeFile(bytes)
    await file.sync()
  })

/** Gives a written file its name, in place of what had it, and makes that durable. */
export const publish = (root: string, draft: string, file: string): Promise<void> =>
  orErased(draft, async () => {
    await makeFolders(root, dirname(file))
    await rename(draft, file)
    await syncFolders(root, dirname(file))
  })

const orErased = async (draft: string, call: () => Promise<void>): Promise<void> => {
  try {
    await call()
  } catch (thrown) {
    // What failed first is what the caller must hear.
    await rm(draft, { force: true }).catch(() => undefined)
    throw thrown
  }
}

/** Makes the names in these folders durable, up to the root. */
const syncFolders = async (root: string, folder: string): Promise<void> => {
  await using handle = await open(folder, constants.O_RDONLY)
  await handle.sync()
  if (folder !== root) await syncFolders(root, dirname(folder))
}

const refuseLinks = async (folder: string): Promise<void> => {
  if ((await realpath(folder)) !== folder) throw foreign()
}

/** The bytes of a file. */
export const read = async (file: string): Promise<Uint8Array> => {
  await refuseLinks(dirname(file))
  // The file itself may be a link, or a pipe, which must not hold the service.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  await using handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  if (!(await handle.stat()).isFile()) throw foreign()
  return handle.readFile()
}

/** Removes a file and the folders that it leaves empty, and makes that durable. */
export const erase = async (root: string, file: string): Promise<void> => {
  await refuseLinks(dirname(file))
  await unlink(file)
  await syncFolders(root, await pruned(root, dirname(file)))
}

/** Removes the folders that have become empty; answers the first that has not. */
const pruned = async (root: string, folder: string): Promise<string> => {
  if (folder === root) return root
  try {
    await rmdir(folder)
  } catch {
    return folder
  }
  return pruned(root, dirname(folder))
}
