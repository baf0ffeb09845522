import type { FileEntry } from './contents.ts'

/** The placeholder of a missing vector: no component of a vector is −128. */
const NONE = -128
const LARGEST = 127

/** A vector with one byte for each number: only directions are compared, and they stay the same within a hundredth. */
export const compact = (vector: Float32Array): Int8Array => {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  return Int8Array.from(vector, (value) => (largest === 0 ? 0 : Math.round((value / largest) * LARGEST)))
}

/** Encodes vectors of one size as one text; undefined stands for a missing one. */
export const encodeVectors = (vectors: readonly (Int8Array | undefined)[], size: number): string => {
  const bytes = new Int8Array(vectors.length * size).fill(NONE)
  for (const [n, vector] of vectors.entries()) if (vector?.length === size) bytes.set(vector, n * size)
  return Buffer.from(bytes.buffer).toString('base64')
}

/** The vectors of a file's chunks in their order, undefined for those without one of this model. */
export const decodeVectors = (
  { vectors, embeddedBy, chunks }: Omit<FileEntry, 'revision'>,
  model: string | undefined,
): (Int8Array | undefined)[] => {
  const none = chunks.map(() => undefined)
  if (vectors === undefined || embeddedBy !== model || chunks.length === 0) return none
  const bytes = new Int8Array(Buffer.from(vectors, 'base64'))
  const size = bytes.length / chunks.length
  if (!Number.isInteger(size)) return none
  return chunks.map((_chunk, n) => {
    const vector = bytes.subarray(n * size, (n + 1) * size)
    return vector[0] === NONE ? undefined : vector
  })
}

type Gaps = { model: string; lacking: number; refused: number }
/** Counted once per entry, which never changes: a polling page must not decode all vectors each time. */
const gaps = new WeakMap<FileEntry, Gaps>()

const gapsIn = (entry: FileEntry, model: string): Gaps => {
  const known = gaps.get(entry)
  if (known?.model === model) return known
  const vectors = decodeVectors(entry, model)
  const lacking = vectors.filter((vector) => vector === undefined).length
  const refused = vectors.filter((vector) => vector?.every((value) => value === 0)).length
  gaps.set(entry, { model, lacking, refused })
  return { model, lacking, refused }
}

/** The number of a file's chunks without a vector of this model. */
export const lackingIn = (entry: FileEntry, model: string): number => gapsIn(entry, model).lacking

/** The number of a file's chunks that this model has refused: their vectors have no direction. */
export const refusedIn = (entry: FileEntry, model: string): number => gapsIn(entry, model).refused

export const ofLength1 = (vector: Float32Array): Float32Array => {
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}

export const vectorLength = (vector: Int8Array): number => {
  let sum = 0
  for (let n = 0; n < vector.length; n++) sum += (vector[n] as number) ** 2
  return Math.sqrt(sum)
}

/** The similarity of a vector, of this `length`, to one of length 1; 0 for vectors of different sizes. */
export const nearness = (one: Float32Array, vector: Int8Array, length: number): number => {
  if (one.length !== vector.length || length === 0) return 0
  let sum = 0
  for (let n = 0; n < one.length; n++) sum += (one[n] as number) * (vector[n] as number)
  return sum / length
}

/** A file without the chunk of this id, and without its vector. */
export const withoutChunk = (entry: FileEntry, id: string): Omit<FileEntry, 'revision'> => {
  const at = entry.chunks.findIndex((chunk) => chunk.id === id)
  const chunks = entry.chunks.filter((_chunk, n) => n !== at)
  const { vectors, ...rest } = entry
  if (vectors === undefined) return { ...rest, chunks }
  const bytes = Buffer.from(vectors, 'base64')
  const size = bytes.length / entry.chunks.length
  const remaining = Buffer.concat([bytes.subarray(0, at * size), bytes.subarray((at + 1) * size)])
  return { ...rest, chunks, vectors: remaining.toString('base64') }
}
