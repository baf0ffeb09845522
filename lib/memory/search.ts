import { messageOf } from '../core/errors.ts'
import type { Embedding } from '../ports/embedding.ts'
import type { Log } from '../ports/log.ts'
import { type FoundHit, fused } from './hybrid.ts'
import type { IndexCache } from './index-cache.ts'
import type { FoundChunk, SearchMethod } from './schema.ts'
import type { SearchIndex } from './search-index.ts'
import { ofLength1 } from './vectors.ts'

type Question = { query: string; maxResults: number; minScore?: number | undefined }
type Needs = { indexCache: IndexCache; embedding?: Embedding | undefined; log: Log }

/** How far down each of two lists is looked before they are made one. */
const DEPTH = 100
/** A caller waits for the answer. */
const EMBEDS_WITHIN_MS = 10_000

/** Finds the chunks that a question is about, the best first: by words, and by meaning where there is a model for it. */
export const createSearch = ({ indexCache, embedding, log }: Needs) => {
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
    const [given, { searchIndex }] = await Promise.all([vectorOf(query), indexCache.searchable()])
    const vector = given && searchIndex.hasVectorsOf(given.length) ? given : undefined
    if (given && !vector && searchIndex.hasVectors())
      log.warn(
        { size: given.length },
        'memory has no vectors of the size that the model gives; sync to renew them',
      )
    const method: SearchMethod = vector ? 'hybrid' : 'lexical'
    const depth = Math.max(DEPTH, maxResults)
    const hits: FoundHit[] = vector
      ? fused([searchIndex.lexical(query, depth), searchIndex.near(vector, depth)])
      : searchIndex.lexical(query, maxResults).map((hit) => ({ ...hit, foundBy: ['words'] }))
    const chunks = chunksOf(hits, searchIndex)
      .filter(({ score }) => score >= minScore)
      .slice(0, maxResults)
    return { query, method, chunks, count: chunks.length }
  }
}

const chunksOf = (hits: readonly FoundHit[], searchIndex: SearchIndex): FoundChunk[] =>
  hits.flatMap(({ id, score, foundBy }) => {
    const chunk = searchIndex.chunk(id)
    return chunk === undefined ? [] : [{ ...chunk, score, foundBy }]
  })
