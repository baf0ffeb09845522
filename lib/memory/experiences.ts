import type * as z from 'zod'
import { missing, Problem } from '../core/errors.ts'
import { pageFacts, rangeOf } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Store, Update } from '../ports/store.ts'
import type { CreateExperienceSchema, ListExperiencesQuery, SearchExperiencesQuery } from './contract.ts'
import { createExperienceIndex } from './experience-index.ts'
import { type ExperienceRow, experiences, SPACE } from './rows.ts'
import type { Experience } from './schema.ts'
import type { Verdicts } from './verdicts.ts'

/** Candidates for each one that is asked for, before success, use and age have their say. */
const CANDIDATES = 3
/** How far a person's verdict moves the success of an experience, towards 1 or 0. */
const STEP = 0.25
const DAY_MS = 86_400_000
/** After so long without use, age has taken half of what it takes. */
const HALF_LIFE_DAYS = 90

/** Another writer was faster, each time. */
const MOST_TRIES = 5

type Needs = { store: Store; clock: Clock; ids: Ids; verdicts: Verdicts }

/** What was learned from work that is done. */
export const createExperiences = ({ store, clock, ids, verdicts }: Needs) => {
  const index = createExperienceIndex({ store })

  const get = async (id: string): Promise<Experience> => {
    const row = await store.get(experiences, [SPACE, id], true)
    if (!row) throw missing('Experience')
    return shown(row)
  }

  const insert = async (row: ExperienceRow): Promise<Experience> => {
    if (!(await index.commit({ insert: experiences, row }))) throw busy()
    return shown(row)
  }

  const noteUse = async (id: string): Promise<boolean> => {
    const set = { lastUsedAt: iso(clock.now()) }
    const update: Update<ExperienceRow> = {
      update: experiences,
      key: [SPACE, id],
      add: { useCount: 1 },
      set,
    }
    if (!(await store.commit(update)).applied) throw missing('Experience')
    return true
  }

  /** False where another writer was faster. What is not useful was not gone by, and is no use. */
  const judge = async (id: string, useful: boolean, taskId: string | undefined): Promise<boolean> => {
    const { successScore } = await get(id)
    const before = taskId === undefined ? undefined : await verdicts.of(taskId, id)
    if (before === useful) return true
    const update: Update<ExperienceRow> = {
      ...{ update: experiences, key: [SPACE, id], when: { successScore } },
      add: { useCount: Number(useful) - Number(before ?? false) },
      set: { lastUsedAt: iso(clock.now()), successScore: moved(successScore, useful, before) },
    }
    const rows = taskId === undefined ? [] : [verdicts.write(taskId, id, useful, before)]
    return (await store.commit(update, rows)).applied
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
      return insert(row)
    },

    /** Records what the service itself has learned. */
    record: (given: Recorded): Promise<Experience> =>
      insert({ space: SPACE, id: ids.next('exp'), ...given, useCount: 0, createdAt: iso(clock.now()) }),

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

    /** The closest by words, weighed by success, use and age. */
    search: async ({ q, type, limit }: z.output<typeof SearchExperiencesQuery>) => {
      const candidates = (await index.find(q, type)).slice(0, CANDIDATES * limit)
      const scores = new Map(candidates.map(({ id, score }) => [id, score]))
      // As they are now: success and use are not what they are searched by.
      const rows = await index.read(candidates)
      const found = rows.map((row) => ({
        ...shown(row),
        score: Math.round(1e4 * (scores.get(row.id) ?? 0) * weightOf(row, clock.now())) / 1e4,
      }))
      const best = found.sort((a, b) => b.score - a.score || (a.id > b.id ? -1 : 1)).slice(0, limit)
      return { query: q, experiences: best, count: best.length }
    },

    remove: async (id: string): Promise<void> => {
      if (!(await index.commit({ remove: experiences, key: [SPACE, id] }))) throw missing('Experience')
    },

    /**
     * Notes that it was used, and where a person says so, whether it was useful: that moves its success. For a task that is
     * said once, and may be changed; without one each call counts. Throws Problem `unavailable` `memory_busy` when others
     * change it at the same time, again and again.
     */
    use: async (id: string, { useful, taskId }: Used = {}): Promise<Experience> => {
      for (let tries = 0; tries < MOST_TRIES; tries += 1)
        if (await (useful === undefined ? noteUse(id) : judge(id, useful, taskId))) return get(id)
      throw busy()
    },
  }
}

type Used = { useful?: boolean | undefined; taskId?: string | undefined }
type Recorded = Omit<Experience, 'id' | 'useCount' | 'createdAt'>

const busy = () =>
  new Problem('unavailable', 'memory_busy', 'The experience is being changed by others; try again', {
    retryAfterMs: 1_000,
  })

/** Where a verdict takes the place of the one before, what that one did is taken back. */
const moved = (score: number, useful: boolean, before: boolean | undefined): number => {
  const by = Number(useful) - (before === undefined ? score : Number(before))
  return Math.round(1e3 * Math.max(0, Math.min(1, score + STEP * by))) / 1e3
}

/** From about a quarter to 1: twice as much for what always worked as for what never did, more for what is used, and of late. */
const weightOf = ({ successScore, useCount, lastUsedAt, createdAt }: ExperienceRow, now: number): number => {
  const success = (1 + successScore) / 2
  const use = 1 - 0.25 / (1 + useCount)
  const days = Math.max(0, now - Date.parse(lastUsedAt ?? createdAt)) / DAY_MS
  const age = 0.7 + 0.3 * 0.5 ** (days / HALF_LIFE_DAYS)
  return success * use * age
}

const shown = ({ space: _space, ...experience }: ExperienceRow): Experience => experience
