import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkBlobKey, decodeBlob, encodeBlob, reachFiles } from '../../core/blob.ts'
import type { Blobs } from '../../ports/blobs.ts'

const isAbsent = (thrown: unknown) => (thrown as NodeJS.ErrnoException).code === 'ENOENT'

/** Texts that can be made again, as files of a folder. After a loss of power a file may be empty or missing. */
export const createFolderCopies = (folder: string): Pick<Blobs, 'put' | 'get' | 'remove'> => {
  // A key may be the beginning of another, and no key contains this sign.
  const filePath = (key: string) => join(folder, checkBlobKey(key).replaceAll('/', '+'))
  return {
    put: async (key, text) => {
      const [file, bytes] = [filePath(key), encodeBlob(text)]
      await reachFiles(async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await writeFile(`${file}~`, bytes, { mode: 0o600 })
        await rename(`${file}~`, file)
      })
    },
    get: async (key) => {
      const file = filePath(key)
      const bytes = await reachFiles(() =>
        readFile(file).catch((thrown): undefined => {
          if (!isAbsent(thrown)) throw thrown
        }),
      )
      return bytes && decodeBlob(bytes)
    },
    remove: async (key) => {
      const file = filePath(key)
      await reachFiles(() => rm(file, { force: true }))
    },
  }
}
