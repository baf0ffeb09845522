import type { Hit } from './lexical.ts'
import type { FoundBy } from './schema.ts'

/** What was found, and by which ways of searching. */
export type FoundHit = Hit & { foundBy: FoundBy[] }
const WAYS: readonly [FoundBy, FoundBy] = ['words', 'meaning']

/** How much less a place further down says; the usual choice (Cormack, Clarke and Büttcher, 2009). */
const RANK_CONSTANT = 60
const MOST = 2 / (RANK_CONSTANT + 1)

/**
 * Hits by words and hits by meaning as one list, by reciprocal rank: what stands high in both comes first. A score is 1 for what is the best of
 * both, and at most one half for what only one of them has.
 */
export const fused = (lists: readonly [readonly Hit[], readonly Hit[]]): FoundHit[] => {
  const found = new Map<string, { score: number; foundBy: FoundBy[] }>()
  for (const [way, hits] of lists.entries())
    for (const [rank, { id }] of hits.entries()) {
      const { score, foundBy } = found.get(id) ?? { score: 0, foundBy: [] }
      found.set(id, {
        score: score + 1 / (RANK_CONSTANT + rank + 1),
        foundBy: [...foundBy, WAYS[way] as FoundBy],
      })
    }
  return [...found]
    .map(([id, { score, foundBy }]) => ({ id, score: Math.round((1e4 * score) / MOST) / 1e4, foundBy }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}
