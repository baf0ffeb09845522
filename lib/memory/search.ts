import { messageOf } from '../core/errors.ts'
import type { Embedding } from '../ports/embedding.ts'
import type { Log } from '../ports/log.ts'
import type { Found } from './found.ts'
import { fused } from './hybrid.ts'
import type { Hit } from './lexical.ts'
import type { Loaded } from './loaded.ts'
import type { FoundChunk, MemoryChunk, SearchMethod } from './schema.ts'
import { ofLength1 } from './vectors.ts'

export type Question = { query: string; maxResults: number; minScore?: number | undefined }
type Needs = { loaded: Loaded; embedding?: Embedding | undefined; log: Log }

/** How far down each of two lists is looked before they are made one. */
const DEPTH = 100
/** Somebody waits for the answer. */
const EMBEDS_WITHIN_MS = 10_000

/** Finds the chunks that a question is about, the best first: by words, and by meaning where there is a model for it. */
export const createSearch = ({ loaded, embedding, log }: Needs) => {
  /** Undefined where there is no model, or it fails: words are still there to search by. */
  const vectorOf = async (query: string): Promise<Float32Array | undefined> => {
    try {
      const [vector] = (await embedding?.embed([query], AbortSignal.timeout(EMBEDS_WITHIN_MS))) ?? []
      return vector && ofLength1(vector)
    } catch (thrown) {
      log.warn({ reason: messageOf(thrown) }, 'memory is searched by words alone')
      return undefined
    }
  }

  return async ({ query, maxResults, minScore = 0 }: Question) => {
    const [vector, { found }] = await Promise.all([vectorOf(query), loaded.searchable()])
    const method: SearchMethod = vector ? 'hybrid' : 'lexical'
    const depth = Math.max(DEPTH, maxResults)
    const hits = vector
      ? fused([found.lexical(query, depth), found.near(vector, depth)])
      : found.lexical(query, maxResults)
    const chunks = chunksOf(hits, found)
      .filter(({ score }) => score >= minScore)
      .slice(0, maxResults)
    return { query, method, chunks, count: chunks.length }
  }
}

const chunksOf = (hits: readonly Hit[], found: Found): FoundChunk[] =>
  hits.flatMap(({ id, score }) => scored(found.chunk(id), score))

const scored = (chunk: MemoryChunk | undefined, score: number): FoundChunk[] =>
  chunk === undefined ? [] : [{ ...chunk, score }]
