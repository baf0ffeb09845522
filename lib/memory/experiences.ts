import type * as z from 'zod'
import { missing, Problem } from '../core/errors.ts'
import { countedPage } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Store, Update } from '../ports/store.ts'
import type { CreateExperienceSchema, ListExperiencesQuery, SearchExperiencesQuery } from './contract.ts'
import { createExperienceIndex } from './experience-index.ts'
import { type ExperienceRow, experiences, SPACE } from './rows.ts'
import type { CheckOwnConversation, Experience } from './schema.ts'
import type { Verdicts } from './verdicts.ts'

/** The candidates for each result, before they are weighted by success, use and age. */
const CANDIDATES = 3
/** How much a person's verdict moves the success of an experience towards 1 or 0. */
const STEP = 0.25
const DAY_MS = 86_400_000
/** The time without use after which age has half of its full effect. */
const HALF_LIFE_DAYS = 90

/** The tries of a change that other writers win. */
const MOST_TRIES = 5

type Needs = {
  store: Store
  clock: Clock
  ids: Ids
  verdicts: Verdicts
  checkOwnConversation: CheckOwnConversation
}

/** Experiences: lessons from finished work. */
export const createExperiences = ({ store, clock, ids, verdicts, checkOwnConversation }: Needs) => {
  const index = createExperienceIndex({ store })

  const get = async (id: string): Promise<Experience> => {
    const row = await store.get(experiences, [SPACE, id], true)
    if (!row) throw missing('Experience')
    return toExperience(row)
  }

  const insert = async (row: ExperienceRow): Promise<Experience> => {
    if (!(await index.commit({ insert: experiences, row }))) throw busy()
    return toExperience(row)
  }

  const noteUse = async (id: string): Promise<boolean> => {
    const change = { add: { useCount: 1 }, set: { lastUsedAt: iso(clock.now()) } }
    const update: Update<ExperienceRow> = { update: experiences, key: [SPACE, id], ...change }
    if (!(await store.commit(update)).applied) throw missing('Experience')
    return true
  }

  /** False when another writer won. An experience that was not useful was not used. */
  const rate = async (id: string, useful: boolean, taskId: string | undefined): Promise<boolean> => {
    const { successScore } = await get(id)
    const before = taskId === undefined ? undefined : await verdicts.of(taskId, id)
    if (before === useful) return true
    const update: Update<ExperienceRow> = {
      update: experiences,
      key: [SPACE, id],
      when: { successScore },
      add: { useCount: Number(useful) - Number(before ?? false) },
      set: { lastUsedAt: iso(clock.now()), successScore: movedScore(successScore, useful, before) },
    }
    const rows = taskId === undefined ? [] : [verdicts.write(taskId, id, useful, before)]
    return (await store.commit(update, rows)).applied
  }

  return {
    get,
    create: async (
      principal: Principal,
      given: z.output<typeof CreateExperienceSchema>,
    ): Promise<Experience> => {
      const { sourceConversationId, ...rest } = given
      if (sourceConversationId !== undefined) await checkOwnConversation(principal, sourceConversationId)
      const row: ExperienceRow = {
        space: SPACE,
        id: ids.next('exp'),
        ...rest,
        useCount: 0,
        ...(sourceConversationId === undefined ? {} : { sourceConversationId }),
        createdAt: iso(clock.now()),
        createdBy: principal.userId,
      }
      return insert(row)
    },

    record: (given: Recorded): Promise<Experience> =>
      insert({ space: SPACE, id: ids.next('exp'), ...given, useCount: 0, createdAt: iso(clock.now()) }),

    list: async (query: z.output<typeof ListExperiencesQuery>) => {
      const { type } = query
      const where = type === undefined ? [] : [{ field: 'type' as const, in: [type] }]
      const scope = `experiences:${JSON.stringify(where)}`
      const selected = { index: 'newest', is: SPACE, where }
      const { rows, facts } = await countedPage(query, scope, {
        page: (range) => store.page(experiences, { ...selected, order: 'desc', detail: true, ...range }),
        count: () => store.count(experiences, selected),
      })
      return { experiences: rows.map(toExperience), ...facts }
    },

    /** Best matches by words, weighted by success, use and age. */
    search: async ({ q, type, limit }: z.output<typeof SearchExperiencesQuery>) => {
      const candidates = (await index.find(q, type)).slice(0, CANDIDATES * limit)
      const scores = new Map(candidates.map(({ id, score }) => [id, score]))
      // Reads the present rows: success and use are not in the index.
      const rows = await index.readRows(candidates)
      const hits = rows.map((row) => ({
        ...toExperience(row),
        score: Math.round(1e4 * (scores.get(row.id) ?? 0) * experienceWeight(row, clock.now())) / 1e4,
      }))
      const best = hits.sort((a, b) => b.score - a.score || (a.id > b.id ? -1 : 1)).slice(0, limit)
      return { query: q, experiences: best, count: best.length }
    },

    remove: async (id: string): Promise<void> => {
      if (!(await index.commit({ remove: experiences, key: [SPACE, id] }))) throw missing('Experience')
    },

    /**
     * Records a use of the experience, and a person's verdict whether it was useful, which changes its success. For a
     * task there is one verdict, which may be changed; without a task each call counts. Throws Problem `unavailable`
     * `memory_busy` when other writers win every time.
     */
    use: async (id: string, { useful, taskId }: Used = {}): Promise<Experience> => {
      for (let tries = 0; tries < MOST_TRIES; tries += 1)
        if (await (useful === undefined ? noteUse(id) : rate(id, useful, taskId))) return get(id)
      throw busy()
    },
  }
}

type Used = { useful?: boolean | undefined; taskId?: string | undefined }
type Recorded = Omit<Experience, 'id' | 'useCount' | 'createdAt'>

const busy = () =>
  new Problem('unavailable', 'memory_busy', 'Someone else is changing this experience. Try again', {
    retryAfterMs: 1_000,
  })

/** A verdict that replaces an earlier one takes back the effect of the earlier one. */
const movedScore = (score: number, useful: boolean, before: boolean | undefined): number => {
  const by = Number(useful) - (before === undefined ? score : Number(before))
  return Math.round(1e3 * Math.max(0, Math.min(1, score + STEP * by))) / 1e3
}

/** From about a quarter to 1: twice as high for constant success as for none, and higher for frequent and recent use. */
const experienceWeight = (
  { successScore, useCount, lastUsedAt, createdAt }: ExperienceRow,
  now: number,
): number => {
  const success = (1 + successScore) / 2
  const use = 1 - 0.25 / (1 + useCount)
  const days = Math.max(0, now - Date.parse(lastUsedAt ?? createdAt)) / DAY_MS
  const age = 0.7 + 0.3 * 0.5 ** (days / HALF_LIFE_DAYS)
  return success * use * age
}

const toExperience = ({ space: _space, ...experience }: ExperienceRow): Experience => experience
