import { abortAfter } from '../core/deadline.ts'
import { errorMessage } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Embedding } from '../ports/embedding.ts'
import type { Log } from '../ports/log.ts'
import type { Expand } from './expand.ts'
import type { IndexCache } from './index-cache.ts'
import type { Hit } from './lexical.ts'
import type { FoundBy, FoundChunk, MemoryChunk, SearchMethod } from './schema.ts'
import type { SearchIndex } from './search-index.ts'
import { ofLength1 } from './vectors.ts'

type Question = { query: string; maxResults: number; minScore?: number | undefined }
type Needs = {
  indexCache: IndexCache
  embedding?: Embedding | undefined
  /** Further words for a question, when there are no vectors to search. */
  expand?: Expand | undefined
  clock: Pick<Clock, 'after' | 'monotonic'>
  log: Log
}

/** How many hits of each list are merged. */
const DEPTH = 100
/** Extra hits, which ratings may move up. */
const MORE = 4
/** Ratings move a chunk's score by at most a tenth, which three people reach. */
const MOST_MOVED = 0.1
const VOICES = 3
/** The time limit of embedding a question, since a caller waits. */
const EMBEDS_WITHIN_MS = 10_000
/** After a time-out the model is not called for this long: each question would wait in vain. */
const LEFT_ALONE_MS = 30_000

/** Finds the chunks for a question, best first: by words, and by meaning if there is an embedding model. */
export const createSearch = ({ indexCache, embedding, expand, clock, log }: Needs) => {
  let leftAloneUntil = Number.NEGATIVE_INFINITY

  /** Undefined without a model, or when it fails: then the search goes by words. */
  const queryVector = async (query: string): Promise<Float32Array | undefined> => {
    if (embedding === undefined || clock.monotonic() < leftAloneUntil) return undefined
    using limit = abortAfter(clock, EMBEDS_WITHIN_MS)
    try {
      const [vector] = await embedding.embed([query], limit.signal)
      return vector && ofLength1(vector)
    } catch (thrown) {
      if (limit.signal.aborted) leftAloneUntil = clock.monotonic() + LEFT_ALONE_MS
      log.warn({ reason: errorMessage(thrown) }, 'memory is searched by words alone')
      return undefined
    }
  }

  const byWords = async (searchIndex: SearchIndex, query: string, depth: number, most: number) => {
    const more = await expand?.(query)
    if (more !== undefined)
      return fused([searchIndex.lexical(query, depth), searchIndex.lexical(more, depth)], 'expansion')
    const hits = searchIndex.lexical(query, most)
    return hits.map((hit): FoundHit => ({ terms: [], ...hit, foundBy: ['words'] }))
  }

  return async ({ query, maxResults, minScore = 0 }: Question) => {
    const [given, { searchIndex }] = await Promise.all([queryVector(query), indexCache.searchable()])
    const vector = given && searchIndex.hasVectorsWithSize(given.length) ? given : undefined
    if (given && !vector && searchIndex.hasVectors())
      log.warn(
        { size: given.length },
        'memory has no vectors of the size that the model gives; sync to renew them',
      )
    const method: SearchMethod = vector ? 'hybrid' : 'lexical'
    const depth = Math.max(DEPTH, maxResults)
    const found = vector
      ? fused([searchIndex.lexical(query, depth), searchIndex.near(vector, depth)])
      : await byWords(searchIndex, query, depth, maxResults + MORE)
    const hits = found.map((hit) => ({ ...hit, score: ratedScore(hit.score, searchIndex.rating(hit.id)) }))
    const chunks = toChunks(hits.sort(byScore), searchIndex)
      .filter(({ score }) => score >= minScore)
      .slice(0, maxResults)
    return { query, method, chunks, count: chunks.length }
  }
}

/** A found chunk without the details of the search. */
export const plainChunk = ({
  score: _score,
  foundBy: _foundBy,
  terms: _terms,
  ...chunk
}: FoundChunk): MemoryChunk => chunk

const byScore = (a: Hit, b: Hit): number => b.score - a.score || (a.id < b.id ? -1 : 1)

const ratedScore = (score: number, rating: number): number => {
  const moved = score * (1 + MOST_MOVED * Math.max(-1, Math.min(1, rating / VOICES)))
  return rating === 0 ? score : Math.min(1, Math.round(1e4 * moved) / 1e4)
}

const toChunks = (hits: readonly FoundHit[], searchIndex: SearchIndex): FoundChunk[] =>
  hits.flatMap(({ id, score, foundBy, terms }) => {
    const chunk = searchIndex.chunk(id)
    return chunk === undefined ? [] : [{ ...chunk, score, foundBy, terms: [...terms] }]
  })

/** A hit, and the searches that found it. */
type FoundHit = Required<Hit> & { foundBy: FoundBy[] }

/** How much lower places weigh less; the usual constant (Cormack, Clarke and Büttcher, 2009). */
const RANK_CONSTANT = 60
const MOST = 2 / (RANK_CONSTANT + 1)

/** Merges two lists by reciprocal rank. The score is 1 for the first hit of both, at most one half for a hit of one. */
export const fused = (
  lists: readonly [readonly Hit[], readonly Hit[]],
  second: FoundBy = 'meaning',
): FoundHit[] => {
  const hitsById = new Map<string, Omit<FoundHit, 'id'>>()
  for (const [way, hits] of lists.entries())
    for (const [rank, { id, terms = [] }] of hits.entries()) {
      const before = hitsById.get(id) ?? { score: 0, foundBy: [], terms: [] }
      hitsById.set(id, {
        score: before.score + 1 / (RANK_CONSTANT + rank + 1),
        foundBy: [...before.foundBy, way === 0 ? 'words' : second],
        terms: [...before.terms, ...terms],
      })
    }
  return [...hitsById]
    .map(([id, hit]) => ({ id, ...hit, score: Math.round((1e4 * hit.score) / MOST) / 1e4 }))
    .sort(byScore)
}
