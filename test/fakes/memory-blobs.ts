import { checkBlobKey, checkBlobList, encodeBlob } from '../../lib/core/blob.ts'
import type { Blobs } from '../../lib/ports/blobs.ts'

/** Texts that live and die with the process. A list sorts every key there is. */
export const createMemoryBlobs = (): Blobs => {
  const texts = new Map<string, string>()
  return {
    async put(key, text) {
      checkBlobKey(key)
      encodeBlob(text)
      texts.set(key, text)
    },
    get: async (key) => texts.get(checkBlobKey(key)),
    async remove(key) {
      texts.delete(checkBlobKey(key))
    },
    async list(prefix, page) {
      checkBlobList(prefix, page)
      const { limit, after = '' } = page
      const found = [...texts.keys()].filter((key) => key.startsWith(prefix) && key > after)
      const keys = found.sort().slice(0, limit)
      const last = keys.at(-1)
      return found.length > limit && last !== undefined ? { keys, next: last } : { keys }
    },
  }
}
