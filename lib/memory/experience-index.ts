import { rowPages } from '../core/page.ts'
import type { Insert, Remove, Store, Update } from '../ports/store.ts'
import type { Hit, Lexical } from './lexical.ts'
import { type ExperienceRow, experiences, type MemoryStateRow, memoryState, SPACE } from './rows.ts'

/** The row whose version grows with every added or removed experience. */
const STATE = 'experiences'
/** Only the newest experiences are searched. */
const MOST_SEARCHED = 2_000
const PAGE = 200
const AT_ONCE = 20

/** The index of experiences in this process: their words, and their types, which do not change. */
type CachedIndex = { version: number; lexical: Lexical; known: Map<string, ExperienceRow['type']> }

/** Finds experiences by their words, also those that other processes write. */
export const createExperienceIndex = ({ store }: { store: Store }) => {
  let last: Promise<CachedIndex | undefined> = Promise.resolve(undefined)

  /** The write of an added or removed experience, together with the version. */
  const commit = async (head: Insert<ExperienceRow> | Remove<ExperienceRow>): Promise<boolean> => {
    const next: Update<MemoryStateRow> = { update: memoryState, key: STATE, add: { version: 1 } }
    const outcome = await store.commit<ExperienceRow>(head, [next])
    if (outcome.applied || outcome.refused === 0) return outcome.applied
    const first: Insert<MemoryStateRow> = { insert: memoryState, row: { id: STATE, version: 1 } }
    // When another process made the first version, there is one now.
    return (
      (await store.commit<ExperienceRow>(head, [first])).applied ||
      (await store.commit<ExperienceRow>(head, [next])).applied
    )
  }

  const newest = async (detail: boolean): Promise<ExperienceRow[]> => {
    const query = { index: 'newest', is: SPACE, order: 'desc', limit: PAGE, detail } as const
    const rows: ExperienceRow[] = []
    for await (const page of rowPages((from) => store.page(experiences, { ...query, ...from }))) {
      rows.push(...page)
      if (rows.length >= MOST_SEARCHED) break
    }
    return rows
  }

  /** The existing ones of these experiences, in full and in their order. */
  const readRows = async (rows: readonly Pick<ExperienceRow, 'id'>[]): Promise<ExperienceRow[]> => {
    const found: ExperienceRow[] = []
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      const some = rows.slice(at, at + AT_ONCE)
      const present = await Promise.all(some.map(({ id }) => store.get(experiences, [SPACE, id], true)))
      found.push(...present.filter((row) => row !== undefined))
    }
    return found
  }

  /** The first search reads all experiences; later ones only the solutions of new ones, which may be long. */
  const load = async (version: number, before: CachedIndex | undefined): Promise<CachedIndex> => {
    const { createLexical } = await import('./lexical.ts')
    const { lexical = createLexical(), known = new Map() } = before ?? {}
    const rows = await newest(before === undefined)
    const here = new Set(rows.map(({ id }) => id))
    for (const id of [...known.keys()].filter((each) => !here.has(each))) {
      lexical.remove(id)
      known.delete(id)
    }
    const added = before === undefined ? rows : await readRows(rows.filter(({ id }) => !known.has(id)))
    for (const row of added) {
      lexical.add(toDocument(row))
      known.set(row.id, row.type)
    }
    return { version, lexical, known }
  }

  /** Loads the index only when an experience was added or removed, in any process. */
  const loadCurrent = async (): Promise<CachedIndex> => {
    const version = (await store.get(memoryState, STATE))?.version ?? 0
    const mine = last
      .catch(() => undefined)
      .then((held) => (held && held.version >= version ? held : load(version, held)))
    last = mine
    return mine
  }

  return {
    commit,
    readRows,
    find: async (question: string, type?: ExperienceRow['type']): Promise<Hit[]> => {
      const { lexical, known } = await loadCurrent()
      const hits = lexical.search(question, MOST_SEARCHED)
      return type === undefined ? hits : hits.filter(({ id }) => known.get(id) === type)
    },
  }
}

const toDocument = ({ id, type, intent, tags, solution }: ExperienceRow) => ({
  id,
  title: intent,
  place: [type.replaceAll('_', ' '), ...tags].join(' '),
  text: typeof solution === 'string' ? solution : JSON.stringify(solution),
})
