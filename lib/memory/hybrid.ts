import type { Hit } from './lexical.ts'

/** How much less a place further down says; the usual choice (Cormack, Clarke and Büttcher, 2009). */
const RANK_CONSTANT = 60
const MOST = 2 / (RANK_CONSTANT + 1)

/**
 * Lists of hits as one, by reciprocal rank: what stands high in both comes first. A score is 1 for what is the best of
 * both, and at most one half for what only one of them has.
 */
export const fused = (lists: readonly [readonly Hit[], readonly Hit[]]): Hit[] => {
  const scores = new Map<string, number>()
  for (const hits of lists)
    for (const [rank, { id }] of hits.entries())
      scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_CONSTANT + rank + 1))
  return [...scores]
    .map(([id, score]) => ({ id, score: Math.round((1e4 * score) / MOST) / 1e4 }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}
