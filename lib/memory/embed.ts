import { hash } from 'node:crypto'
import { Problem } from '../core/errors.ts'
import type { Embedding } from '../ports/embedding.ts'
import type { Draft } from './change.ts'
import { type Contents, type FileEntry, filesIn } from './contents.ts'
import type { StoredChunk } from './rows.ts'
import { compact, decodeVectors, encodeVectors, lackingIn } from './vectors.ts'

/** The texts of one call of the model. */
const AT_ONCE = 64

/** The text of a chunk for the model, with its headings, which name the subject. */
const embeddedText = ({ trail = [], heading, text }: StoredChunk): string =>
  [...trail, ...(heading === undefined ? [] : [heading]), text].join('\n')

const textKey = (chunk: StoredChunk) => hash('sha256', embeddedText(chunk), 'base64url')

/** Vectors by the embedded text, so that a renamed file, or a moved text, keeps its vectors. */
export type KnownVectors = Map<string, Int8Array>

export const knownVectors = (contents: Contents, model: string): KnownVectors => {
  const known: KnownVectors = new Map()
  for (const entry of contents.values())
    for (const [n, vector] of decodeVectors(entry, model).entries())
      if (vector) known.set(textKey(entry.chunks[n] as StoredChunk), vector)
  return known
}

type Embedded = Pick<FileEntry, 'embeddedBy' | 'vectors'>

const toEmbedded = (keys: readonly string[], known: KnownVectors, model: string): Embedded => {
  const vectors = keys.map((key) => known.get(key))
  const size = vectors.find((vector) => vector !== undefined)?.length
  return size === undefined ? {} : { embeddedBy: model, vectors: encodeVectors(vectors, size) }
}

/** The vectors that new chunks already have. */
export const embeddedAs = (chunks: readonly StoredChunk[], known: KnownVectors, model: string): Embedded =>
  toEmbedded(chunks.map(textKey), known, model)

/** The statuses with which providers refuse a request for one of its texts. */
const REFUSING: ReadonlySet<number> = new Set([400, 413, 422])

const isRefusal = (thrown: unknown): boolean => {
  if (!(thrown instanceof Problem)) return false
  const { status } = (thrown.details ?? {}) as { status?: unknown }
  return REFUSING.has(Number(status))
}

/** A text that no model refuses: it tells a refused text from a model that refuses everything. */
const PROBE = 'text'

type Vectors = { vectors: (Float32Array | undefined)[]; size: number | undefined }

/**
 * The vectors of texts, undefined for each text that the model refuses by itself: a refused call is halved until only that
 * text fails. Throws the refusal when the model refuses everything, and the other errors of the model.
 */
const createTolerantEmbedding = (embedding: Embedding, signal: AbortSignal) => {
  let probed: number | undefined

  const probe = async (refusal: unknown): Promise<void> => {
    if (probed !== undefined) return
    const [vector] = await embedding.embed([PROBE], signal).catch((thrown) => {
      throw isRefusal(thrown) ? refusal : thrown
    })
    probed = vector?.length
  }

  const embedHalves = async (texts: readonly string[]): Promise<(Float32Array | undefined)[]> => {
    try {
      return await embedding.embed(texts, signal)
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown
      await probe(thrown)
      if (texts.length === 1) return [undefined]
      const middle = Math.ceil(texts.length / 2)
      return [...(await embedHalves(texts.slice(0, middle))), ...(await embedHalves(texts.slice(middle)))]
    }
  }

  return async (texts: readonly string[]): Promise<Vectors> => {
    const vectors = await embedHalves(texts)
    return { vectors, size: vectors.find((vector) => vector !== undefined)?.length ?? probed }
  }
}

type Keyed = { path: string; keys: readonly string[]; texts: ReadonlyMap<string, string> }
type Needs = {
  draft: Draft
  embedding: Embedding
  known: KnownVectors
  signal: AbortSignal
  /** Whether the model is called to learn the size of its vectors, even if each chunk has one. */
  asksForSize: boolean
}

/**
 * Embeds chunks without vectors. Each answer of the model is stored before the next call, so that a process that dies in
 * between loses none. A model whose vectors changed their size embeds all chunks again. A text that the model refuses gets a
 * vector without a direction: it is found by its words only, and is not sent again. Resolves to the paths with such texts.
 * Throws the errors of the model.
 */
export const embedMissing = async ({
  draft,
  embedding,
  known,
  signal,
  asksForSize,
}: Needs): Promise<readonly string[]> => {
  const { model } = embedding
  const files = filesIn(draft.contents()).filter(({ chunks }) => chunks.length > 0)
  const isLacking = files.some((entry) => lackingIn(entry, model) > 0)
  if (files.length === 0 || !(isLacking || asksForSize)) return []
  const embed = createTolerantEmbedding(embedding, signal)
  const refused = new Set<string>()
  const keyed = files.map(toKeyed)
  /** Vectors of different sizes are not comparable. */
  const learn = (keys: readonly string[], { vectors, size = 0 }: Vectors) => {
    for (const [key, vector] of known) if (vector.length !== size) known.delete(key)
    for (const [n, key] of keys.entries()) {
      const vector = vectors[n]
      if (vector === undefined) refused.add(key)
      known.set(key, vector === undefined ? new Int8Array(size) : compact(vector))
    }
  }
  if (asksForSize && !isLacking) {
    const [key, text] = [...(keyed[0] as Keyed).texts][0] as [string, string]
    learn([key], await embed([text]))
  }
  const store = async ({ path, keys }: Keyed) => {
    const entry = draft.contents().get(path)
    const now = toEmbedded(keys, known, model)
    const isNew = entry?.vectors !== now.vectors || entry?.embeddedBy !== now.embeddedBy
    if (entry && now.vectors !== undefined && isNew) await draft.put({ ...entry, ...now })
  }
  const embedGroup = async (group: readonly Keyed[]) => {
    const missing = missingTexts(group, known)
    for (let at = 0; at < missing.length; at += AT_ONCE) {
      const [keys, texts] = keysAndTexts(missing.slice(at, at + AT_ONCE))
      learn(keys, await embed(texts))
      for (const file of group) await store(file)
    }
    if (missing.length === 0) for (const file of group) await store(file)
  }
  /** Whether each chunk has its vector now. */
  const pass = async (): Promise<boolean> => {
    for (const group of callGroups(keyed, known)) await embedGroup(group)
    return missingTexts(keyed, known).length === 0
  }
  // A second pass is needed when the model's vectors have changed their size.
  if (!(await pass())) await pass()
  return keyed.filter(({ keys }) => keys.some((key) => refused.has(key))).map(({ path }) => path)
}

const toKeyed = ({ path, chunks }: FileEntry): Keyed => {
  const keys = chunks.map(textKey)
  return { path, keys, texts: new Map(keys.map((key, n) => [key, embeddedText(chunks[n] as StoredChunk)])) }
}

const keysAndTexts = (pairs: readonly (readonly [string, string])[]) =>
  [pairs.map(([key]) => key), pairs.map(([, text]) => text)] as const

/** The texts without a vector, each once. */
const missingTexts = (files: readonly Keyed[], known: KnownVectors): [key: string, text: string][] => [
  ...new Map(files.flatMap(({ texts }) => [...texts].filter(([key]) => !known.has(key)))),
]

/** Groups files into calls of the model; a larger file is a group by itself. */
const callGroups = (files: readonly Keyed[], known: KnownVectors): Keyed[][] => {
  const groups: Keyed[][] = []
  let room = 0
  for (const file of files) {
    const needed = missingTexts([file], known).length
    if (groups.length === 0 || needed > room) {
      groups.push([])
      room = AT_ONCE
    }
    groups.at(-1)?.push(file)
    room -= needed
  }
  return groups
}
