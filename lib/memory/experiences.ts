import type * as z from 'zod'
import { missing } from '../core/errors.ts'
import { pageFacts, rangeOf } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Insert, Position, Remove, Store, Update } from '../ports/store.ts'
import type { CreateExperienceSchema, ListExperiencesQuery, SearchExperiencesQuery } from './contract.ts'
import { type ExperienceRow, experiences, type MemoryStateRow, memoryState, SPACE } from './rows.ts'
import type { Experience } from './schema.ts'

/** Whose version grows with every experience that comes or goes. */
const STATE = 'experiences'
/** Those that are searched: the newest. */
const MOST_SEARCHED = 2_000
const PAGE = 200

/** What is found, the best first; `type` and `successScore` do not change. */
type Found = Pick<ExperienceRow, 'id' | 'type' | 'successScore'> & { score: number }
type Search = (question: string) => Found[]

type Needs = { store: Store; clock: Clock; ids: Ids }

/** What was learned from work that is done. */
export const createExperiences = ({ store, clock, ids }: Needs) => {
  let held: { version: number; search: Promise<Search> } | undefined

  const changed = async () => {
    const row: MemoryStateRow = { id: STATE, version: 1 }
    const { applied } = await store.commit<MemoryStateRow>({ insert: memoryState, row })
    if (!applied) await store.commit<MemoryStateRow>({ update: memoryState, key: STATE, add: { version: 1 } })
  }

  const load = async (): Promise<Search> => {
    const { createLexical } = await import('./lexical.ts')
    const rows: ExperienceRow[] = []
    let after: Position | undefined
    do {
      const page = await store.page(experiences, {
        ...{ index: 'newest', is: SPACE, order: 'desc', limit: PAGE, detail: true },
        ...(after ? { after } : {}),
      })
      rows.push(...page.rows)
      after = page.next
    } while (after && rows.length < MOST_SEARCHED)
    const lexical = createLexical(rows.map(searched))
    const known = new Map(rows.map(({ id, type, successScore }) => [id, { id, type, successScore }]))
    return (question) =>
      lexical.search(question, MOST_SEARCHED).flatMap(({ id, score }) => {
        const row = known.get(id)
        return row ? [{ ...row, score }] : []
      })
  }

  /** Loaded anew only when something came or went, here or in another process. */
  const searching = async (): Promise<Search> => {
    const version = (await store.get(memoryState, STATE))?.version ?? 0
    if (held?.version !== version) held = { version, search: load() }
    const { search } = held
    search.catch(() => {
      held = undefined
    })
    return search
  }

  const get = async (id: string): Promise<Experience> => {
    const row = await store.get(experiences, [SPACE, id], true)
    if (!row) throw missing('Experience')
    return shown(row)
  }

  /** As they are now: how often they were used is not what they are searched by. */
  const fresh = async ({ id, score }: Found) => {
    const row = await store.get(experiences, [SPACE, id], true)
    return row ? [{ ...shown(row), score }] : []
  }

  return {
    get,
    create: async (
      { userId }: Principal,
      given: z.output<typeof CreateExperienceSchema>,
    ): Promise<Experience> => {
      const { sourceConversationId, ...rest } = given
      const row: ExperienceRow = {
        ...{ space: SPACE, id: ids.next('exp'), ...rest, useCount: 0 },
        ...(sourceConversationId === undefined ? {} : { sourceConversationId }),
        ...{ createdAt: iso(clock.now()), createdBy: userId },
      }
      await store.commit({ insert: experiences, row } satisfies Insert<ExperienceRow>)
      await changed()
      return shown(row)
    },

    list: async (query: z.output<typeof ListExperiencesQuery>) => {
      const { type } = query
      const where = type === undefined ? [] : [{ field: 'type' as const, in: [type] }]
      const scope = `experiences:${JSON.stringify(where)}`
      const [page, total] = await Promise.all([
        store.page(experiences, {
          ...{ index: 'newest', is: SPACE, where, order: 'desc', detail: true },
          ...rangeOf(query, scope),
        }),
        store.count(experiences, { index: 'newest', is: SPACE, where }),
      ])
      return { experiences: page.rows.map(shown), ...pageFacts(page, total, query, scope) }
    },

    search: async ({ q, type, limit }: z.output<typeof SearchExperiencesQuery>) => {
      const search = await searching()
      const best = search(q)
        .filter((found) => type === undefined || found.type === type)
        .sort((a, b) => b.score - a.score || b.successScore - a.successScore)
        .slice(0, limit)
      const found = (await Promise.all(best.map(fresh))).flat()
      return { query: q, experiences: found, count: found.length }
    },

    remove: async (id: string): Promise<void> => {
      const remove: Remove<ExperienceRow> = { remove: experiences, key: [SPACE, id] }
      if (!(await store.commit(remove)).applied) throw missing('Experience')
      await changed()
    },

    /** Notes that it was used. */
    use: async (id: string): Promise<Experience> => {
      const update: Update<ExperienceRow> = {
        ...{ update: experiences, key: [SPACE, id], add: { useCount: 1 } },
        set: { lastUsedAt: iso(clock.now()) },
      }
      if (!(await store.commit(update)).applied) throw missing('Experience')
      return get(id)
    },
  }
}

const shown = ({ space: _space, ...experience }: ExperienceRow): Experience => experience

const searched = ({ id, type, intent, tags, solution }: ExperienceRow) => ({
  ...{ id, title: intent, place: [type.replaceAll('_', ' '), ...tags].join(' ') },
  text: typeof solution === 'string' ? solution : JSON.stringify(solution),
})
