import type { Blobs } from '../../lib/ports/blobs.ts'
import { createMemoryBlobs } from './memory-blobs.ts'

type Verb = 'get' | 'put'

/**
 * Blobs in memory for the large fields of a collection, with something that comes between: what `due` holds happens once,
 * before the next text is read or put.
 */
export const createInterruptedBlobs = ({ name }: { name: string }) => {
  const memory = createMemoryBlobs()
  const due: { [verb in Verb]?: () => Promise<unknown> } = {}
  const happen = async (verb: Verb) => {
    const work = due[verb]
    delete due[verb]
    await work?.()
  }
  const blobs: Blobs = {
    ...memory,
    get: (key) => happen('get').then(() => memory.get(key)),
    put: (key, text) => happen('put').then(() => memory.put(key, text)),
  }
  /** How many texts are kept for a row. */
  const kept = async (id: string): Promise<number> =>
    (await memory.list(`rows/${name}/${id}/`, { limit: 100 })).keys.length
  return { blobs, due, kept }
}
