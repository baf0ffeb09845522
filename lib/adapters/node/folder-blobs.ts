import { realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { checkBlobKey, checkBlobList, decodeBlob, encodeBlob, reachFiles } from '../../core/blob.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { ensureFolder } from './folder.ts'
import { erase, ifThere, publish, read, write } from './folder-files.ts'
import { blobKeysIn, FOLDER_MARK } from './folder-walk.ts'

// Where files are written before they get their names; no key names it.
const DRAFTS = '~drafts'

/**
 * Texts as UTF-8 files (0600) under a folder (0700), which is made when it is missing and belongs to one process. The
 * key `a/b.md` is the file `b.md` in the folder `a+`, so that `a` can be a file as well. On a file system that ignores
 * case, keys that differ in case only are one. No link below the folder is followed.
 */
export const createFolderBlobs = ({ folder }: { folder: string }): Blobs => {
  ensureFolder(folder)
  const root = realpathSync(folder)
  const fileOf = (key: string) => join(root, checkBlobKey(key).replaceAll('/', `${FOLDER_MARK}/`))
  const inTurn = createTurns()
  let drafts = 0
  // What a process that was killed left behind.
  rmSync(join(root, DRAFTS), { recursive: true, force: true })

  return {
    async put(key, text) {
      const file = fileOf(key)
      const bytes = encodeBlob(text)
      const draft = join(root, DRAFTS, String(drafts++))
      await reachFiles(async () => {
        await write(root, draft, bytes)
        await inTurn(() => publish(root, draft, file))
      })
    },
    async get(key) {
      const file = fileOf(key)
      const bytes = await reachFiles(() => ifThere(root, () => read(file)))
      return bytes && decodeBlob(bytes)
    },
    async remove(key) {
      const file = fileOf(key)
      await reachFiles(() => inTurn(() => ifThere(root, () => erase(root, file))))
    },
    async list(prefix, page) {
      checkBlobList(prefix, page)
      return reachFiles(async () => {
        const keys: string[] = []
        for await (const key of blobKeysIn(root, prefix, page.after)) {
          const last = keys.at(-1)
          if (keys.length === page.limit && last !== undefined) return { keys, next: last }
          keys.push(key)
        }
        return { keys }
      })
    },
  }
}

/** Runs one call at a time: a folder that has become empty must not be removed while a file is on its way into it. */
const createTurns = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(call: () => Promise<T>): Promise<T> => {
    const done = last.then(call)
    last = done.catch(() => undefined)
    return done
  }
}
