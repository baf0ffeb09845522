import type { FileEntry } from './contents.ts'

/** Vectors of one size as text: 32-bit floats of either end that this machine has, one vector after the other. */
export const encodeVectors = (vectors: readonly Float32Array[]): string =>
  Buffer.concat(
    vectors.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  ).toString('base64')

/** Of how many numbers each vector of a file is; no whole number where they differ, undefined where it has none. */
export const sizeOf = ({ vectors, chunks }: FileEntry): number | undefined =>
  vectors === undefined ? undefined : Buffer.from(vectors, 'base64').length / 4 / chunks.length

/** The vectors of a file's chunks, in their order, each of length 1; none when they are of another model. */
export const vectorsOf = (
  { vectors, embeddedBy, chunks }: FileEntry,
  model: string | undefined,
): Float32Array[] => {
  if (vectors === undefined || embeddedBy !== model || chunks.length === 0) return []
  const bytes = Buffer.from(vectors, 'base64')
  const size = bytes.length / 4 / chunks.length
  if (!Number.isInteger(size)) return []
  const all = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  return chunks.map((_chunk, n) => ofLength1(all.slice(n * size, (n + 1) * size)))
}

export const ofLength1 = (vector: Float32Array): Float32Array => {
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}

/** How near two vectors of length 1 are: 1 for the same direction; 0 for vectors of different sizes. */
export const nearness = (a: Float32Array, b: Float32Array): number => {
  if (a.length !== b.length) return 0
  let sum = 0
  for (let n = 0; n < a.length; n++) sum += (a[n] as number) * (b[n] as number)
  return sum
}

/** A file without the chunks of these numbers, and without their vectors. */
export const withoutChunk = (entry: FileEntry, id: string): Omit<FileEntry, 'revision'> => {
  const at = entry.chunks.findIndex((chunk) => chunk.id === id)
  const chunks = entry.chunks.filter((_chunk, n) => n !== at)
  const { vectors, ...rest } = entry
  if (vectors === undefined) return { ...rest, chunks }
  const bytes = Buffer.from(vectors, 'base64')
  const size = bytes.length / entry.chunks.length
  const kept = Buffer.concat([bytes.subarray(0, at * size), bytes.subarray((at + 1) * size)])
  return { ...rest, chunks, vectors: kept.toString('base64') }
}
