import type { Part } from './markdown-blocks.ts'
import type { Answered, Asked } from './markdown-worker.ts'
import { PART_LETTERS, writtenPart } from './written-part.ts'

/** A slice of a text that takes longer to parse is shown as it was written. */
const MOST_MS = 1_000
/** So many letters are, where a slice is: the parser has not said where it ends. */
const WRITTEN_LETTERS = 8_000
/** The rest of a part is, after so many slices. */
const MOST_COSTLY = 2
/** Parts that were parsed are kept for texts of so many letters together. */
const CACHE_LETTERS = 2_000_000

/** A started worker, once it is loaded. Rejects when its code does not come. */
const started = (): Promise<Worker> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./markdown-worker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = () => resolve(worker)
    worker.onerror = () => reject(new Error('The code that reads Markdown did not come'))
  })

let worker: Promise<Worker> | undefined

/** What the worker parsed. A slice that takes too long is not in it, and ends that worker. */
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
      // An answer that came while this thread was busy is read before the worker is given up.
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

/**
 * The part of a text that begins at a place. What takes too long is in it as it was written, and after the second time all that
 * follows. Rejects when the code of the worker does not come.
 */
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

/** The first parts of texts, the least recently used first. */
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

/** The first part of a text that was parsed before. */
export const cachedPart = (text: string): Part | undefined => partCache.get(text)

const parsedOrCached = async (text: string, from: number): Promise<Part> => {
  const known = from === 0 ? cachedPart(text) : undefined
  if (known) return known
  try {
    const part = await parsed(text, from)
    if (from === 0) cachePart(text, part)
    return part
  } catch {
    // The next text tries to load the worker again.
    worker = undefined
    return writtenPart(text, from)
  }
}

let last: Promise<unknown> = Promise.resolve()

/**
 * The part of a text that begins at a place, parsed by a worker, one text after another; as it was written where that takes
 * too long. Resolves to undefined when the part is no longer wanted when it is its turn.
 */
export const parsePart = (text: string, from: number, isWanted: () => boolean): Promise<Part | undefined> => {
  const next = last.then(() => (isWanted() ? parsedOrCached(text, from) : undefined))
  last = next
  return next
}
