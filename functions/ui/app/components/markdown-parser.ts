import type { Part } from './markdown-blocks.ts'
import type { Answered, Asked } from './markdown-worker.ts'
import { PART_LETTERS, writtenPart } from './written-part.ts'

/** A slice that takes longer is shown as source. */
const MOST_MS = 1_000
/** The number of characters that are then shown as source: the parser has not reported where the slice ends. */
const WRITTEN_LETTERS = 8_000
/** After this number of timeouts the rest of the part is shown as source. */
const MOST_COSTLY = 2
/** The cache holds parts of texts of up to this total length. */
const CACHE_LETTERS = 2_000_000

/** A browser does not report each load that fails: after this time text is shown as source. */
const LOAD_MS = 10_000

/** Rejects when the code of the worker fails to load. */
const started = (): Promise<Worker> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./markdown-worker.ts', import.meta.url), { type: 'module' })
    const fail = () => {
      clearTimeout(timer)
      worker.terminate()
      reject(new Error('The Markdown parser failed to load'))
    }
    const timer = setTimeout(fail, LOAD_MS)
    worker.onmessage = () => {
      clearTimeout(timer)
      resolve(worker)
    }
    worker.onerror = fail
  })

let worker: Promise<Worker> | undefined

/** A slice that times out is missing, and its worker is terminated. */
type Parsed = { part: Part; isWhole: boolean }

const joined = (first: Part, second: Part): Part => ({
  groups: [...first.groups, ...second.groups],
  end: second.end,
})

const answered = (to: Worker, asked: Asked): Promise<Parsed> =>
  new Promise((resolve) => {
    let known: Part = { groups: [], end: 0 }
    let timer: ReturnType<typeof setTimeout>
    const giveUp = () => {
      to.terminate()
      worker = undefined
      resolve({ part: known, isWhole: false })
    }
    const wait = () => {
      clearTimeout(timer)
      // A message that arrived while this thread was busy is handled first.
      timer = setTimeout(() => {
        timer = setTimeout(giveUp)
      }, MOST_MS)
    }
    to.onmessage = ({ data }: MessageEvent<Answered>) => {
      if (data.kind === 'slice') {
        known = joined(known, data.slice)
        wait()
      }
      if (data.kind !== 'part') return
      clearTimeout(timer)
      resolve({ part: data.part ?? known, isWhole: data.part !== undefined })
    }
    wait()
    to.postMessage(asked)
  })

/** Parses the part at `from`. Slices that time out are included as source. Rejects when the worker fails to load. */
const parsed = async (text: string, from: number): Promise<Part> => {
  let part: Part = { groups: [], end: from }
  for (let costly = 0; costly < MOST_COSTLY; costly += 1) {
    const letters = PART_LETTERS - (part.end - from)
    worker ??= started()
    const { part: next, isWhole } = await answered(await worker, { text: text.slice(part.end), letters })
    part = joined(part, { ...next, end: part.end + next.end })
    if (isWhole) return part
    part = joined(part, writtenPart(text, part.end, WRITTEN_LETTERS))
    if (part.end >= text.length || part.end - from >= PART_LETTERS) return part
  }
  return joined(part, writtenPart(text, part.end))
}

/** The first parts of texts, least recently used first. */
const partCache = new Map<string, Part>()
let cachedLetters = 0

const cachePart = (text: string, part: Part): void => {
  if (partCache.has(text)) return
  partCache.set(text, part)
  cachedLetters += text.length
  for (const oldest of partCache.keys()) {
    if (cachedLetters <= CACHE_LETTERS) return
    partCache.delete(oldest)
    cachedLetters -= oldest.length
  }
}

export const cachedPart = (text: string): Part | undefined => partCache.get(text)

const parsedOrCached = async (text: string, from: number): Promise<Part> => {
  const known = from === 0 ? cachedPart(text) : undefined
  if (known) return known
  try {
    const part = await parsed(text, from)
    if (from === 0) cachePart(text, part)
    return part
  } catch {
    // The next call loads the worker again.
    worker = undefined
    return writtenPart(text, from)
  }
}

let last: Promise<unknown> = Promise.resolve()

/** Parses parts in a worker, one after another. Resolves to undefined if the part is no longer wanted at its turn. */
export const parsePart = (text: string, from: number, isWanted: () => boolean): Promise<Part | undefined> => {
  const next = last.then(() => (isWanted() ? parsedOrCached(text, from) : undefined))
  last = next
  return next
}
