import type { Embedding } from '../ports/embedding.ts'
import type { Draft } from './change.ts'
import { type Contents, type FileEntry, filesIn } from './contents.ts'
import type { StoredChunk } from './rows.ts'
import { encodeVectors, sizeOf, vectorsOf } from './vectors.ts'

/** Texts of one call of the model. */
const AT_ONCE = 64

/** What a model is given of a chunk: its headings say what its text is about. */
export const embeddedText = ({ trail = [], heading, text }: StoredChunk): string =>
  [...trail, ...(heading === undefined ? [] : [heading]), text].join('\n')

/** Vectors by the chunk that they are of. The id of a chunk is made of its content, so its vector is still right. */
export type KnownVectors = ReadonlyMap<string, Float32Array>

export const knownVectors = (contents: Contents, model: string): KnownVectors =>
  new Map(
    [...contents.values()].flatMap((entry) =>
      vectorsOf(entry, model).map((vector, n) => [entry.chunks[n]?.id ?? '', vector] as const),
    ),
  )

/**
 * Gives chunks that have none their vectors, the files of one call of the model stored as it is done: what a dead process has
 * stored is not asked for again. A model whose vectors have another size than before is asked for all. Throws as the
 * model does.
 */
export const embedMissing = async (
  draft: Draft,
  embedding: Embedding,
  known: KnownVectors,
  signal: AbortSignal,
): Promise<void> => {
  const { model } = embedding
  const all = () => filesIn(draft.contents()).filter(({ chunks }) => chunks.length > 0)
  const lacking = all().filter(({ embeddedBy }) => embeddedBy !== model)
  const size = await embedFiles(draft, embedding, lacking, known, signal)
  if (size === undefined) return
  const outdated = all().filter((entry) => sizeOf(entry) !== size)
  await embedFiles(draft, embedding, outdated, new Map(), signal)
}

/** The size of the vectors that the model gave, undefined when it was not asked. */
const embedFiles = async (
  draft: Draft,
  { model, embed }: Embedding,
  files: readonly FileEntry[],
  known: KnownVectors,
  signal: AbortSignal,
): Promise<number | undefined> => {
  let size: number | undefined
  for (const group of groupsOf(files, known)) {
    const missing = group.flatMap(({ chunks }) => chunks.filter(({ id }) => !known.has(id)))
    const fresh = new Map<string, Float32Array>()
    for (let at = 0; at < missing.length; at += AT_ONCE) {
      const asked = missing.slice(at, at + AT_ONCE)
      const vectors = await embed(asked.map(embeddedText), signal)
      for (const [n, { id }] of asked.entries()) fresh.set(id, vectors[n] as Float32Array)
      size = vectors[0]?.length
    }
    for (const entry of group) {
      const vectors = entry.chunks.map(({ id }) => (fresh.get(id) ?? known.get(id)) as Float32Array)
      // A file whose vectors differ in size is told apart by that, and embedded anew.
      await draft.put({ ...entry, embeddedBy: model, vectors: encodeVectors(vectors) })
    }
  }
  return size
}

/** Files together, as many as one call of the model takes; a larger one by itself. */
const groupsOf = (files: readonly FileEntry[], known: KnownVectors): FileEntry[][] => {
  const groups: FileEntry[][] = []
  let room = 0
  for (const file of files) {
    const needed = file.chunks.filter(({ id }) => !known.has(id)).length
    if (groups.length === 0 || needed > room) {
      groups.push([])
      room = AT_ONCE
    }
    groups.at(-1)?.push(file)
    room -= needed
  }
  return groups
}
