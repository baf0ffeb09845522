import { promisify } from 'node:util'
import { constants, gunzip, gzip } from 'node:zlib'
import { errorMessage } from '../core/errors.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Log } from '../ports/log.ts'

export type CopyPlace = Pick<Blobs, 'put' | 'get' | 'remove'>
/** All contents of a version, for processes that read rows slowly; and the index of words, which takes long to build. */
type Kind = 'contents' | 'index'

const FOLDER = 'memory-index'
/** Raised with each change of the data or of how texts become words, which a test finds: other formats are not read. */
const FORM = 2
/** The most characters of one text in the storage, which takes 16 MB. */
const MOST_CHARACTERS = 12_000_000

const packed = promisify(gzip)
const unpacked = promisify(gunzip)

export type Copies = ReturnType<typeof createCopies>

/** Copies of data that derive from rows, so that a process starts sooner. None is required: failures are only logged. */
export const createCopies = ({ place, log }: { place: CopyPlace; log: Pick<Log, 'warn'> }) => {
  const countAt = async (name: string) => Number((await place.get(name)) ?? 0)

  const read = async (name: string): Promise<unknown> => {
    const count = await countAt(name)
    if (count === 0) return undefined
    const parts = await Promise.all(Array.from({ length: count }, (_, n) => place.get(`${name}/${n}`)))
    if (parts.includes(undefined)) return undefined
    const { form, value } = JSON.parse((await unpacked(Buffer.from(parts.join(''), 'base64'))).toString())
    return form === FORM ? value : undefined
  }

  const write = async (name: string, value: unknown) => {
    const bytes = await packed(JSON.stringify({ form: FORM, value }), { level: constants.Z_BEST_SPEED })
    const text = bytes.toString('base64')
    const count = Math.ceil(text.length / MOST_CHARACTERS)
    for (let n = 0; n < count; n += 1)
      await place.put(`${name}/${n}`, text.slice(n * MOST_CHARACTERS, (n + 1) * MOST_CHARACTERS))
    // The parts are read by their number, which is written last, so that no reader finds only some of them.
    await place.put(name, String(count))
    return true
  }

  const attempt = async <T>(
    version: number,
    kind: Kind,
    what: string,
    work: (name: string) => Promise<T>,
  ) => {
    try {
      return await work(`${FOLDER}/${version}/${kind}`)
    } catch (thrown) {
      log.warn({ version, kind, reason: errorMessage(thrown) }, what)
      return undefined
    }
  }

  return {
    /** Undefined when there is no readable copy. */
    get: (version: number, kind: Kind): Promise<unknown> =>
      attempt(version, kind, 'a copy of memory was not read', read),
    /** Whether the copy was written. */
    put: async (version: number, kind: Kind, value: unknown): Promise<boolean> =>
      (await attempt(version, kind, 'a copy of memory was not written', (name) => write(name, value))) ??
      false,
    remove: (version: number, kind: Kind): Promise<void> =>
      attempt(version, kind, 'an old copy of memory was not removed', async (name) => {
        const count = await countAt(name)
        await place.remove(name)
        for (let n = 0; n < count; n += 1) await place.remove(`${name}/${n}`)
      }),
  }
}
