import type { Insert, Position, Remove, Store, Update } from '../ports/store.ts'
import type { Hit, Lexical } from './lexical.ts'
import { type ExperienceRow, experiences, type MemoryStateRow, memoryState, SPACE } from './rows.ts'

/** Whose version grows with every experience that comes or goes. */
const STATE = 'experiences'
/** Those that are searched: the newest. */
const MOST_SEARCHED = 2_000
const PAGE = 200
/** Those that are read at once. */
const AT_ONCE = 20

/** Experiences as this process searches them: by their words, and with their types, which do not change. */
type Held = { version: number; lexical: Lexical; known: Map<string, ExperienceRow['type']> }

/** Finds experiences by their words, those that other processes write as well. */
export const createExperienceIndex = ({ store }: { store: Store }) => {
  let last: Promise<Held | undefined> = Promise.resolve(undefined)

  /** A write of an experience that comes or goes, and the version with it. */
  const commit = async (head: Insert<ExperienceRow> | Remove<ExperienceRow>): Promise<boolean> => {
    const next: Update<MemoryStateRow> = { update: memoryState, key: STATE, add: { version: 1 } }
    const outcome = await store.commit<ExperienceRow>(head, [next])
    if (outcome.applied || outcome.refused === 0) return outcome.applied
    const first: Insert<MemoryStateRow> = { insert: memoryState, row: { id: STATE, version: 1 } }
    // Where another one was first, there is a version by now.
    return (
      (await store.commit<ExperienceRow>(head, [first])).applied ||
      (await store.commit<ExperienceRow>(head, [next])).applied
    )
  }

  const newest = async (detail: boolean): Promise<ExperienceRow[]> => {
    const rows: ExperienceRow[] = []
    let after: Position | undefined
    do {
      const page = await store.page(experiences, {
        ...{ index: 'newest', is: SPACE, order: 'desc', limit: PAGE, detail },
        ...(after ? { after } : {}),
      })
      rows.push(...page.rows)
      after = page.next
    } while (after && rows.length < MOST_SEARCHED)
    return rows
  }

  /** Those that are still there, whole, in their order. */
  const read = async (rows: readonly Pick<ExperienceRow, 'id'>[]): Promise<ExperienceRow[]> => {
    const found: ExperienceRow[] = []
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      const some = rows.slice(at, at + AT_ONCE)
      const whole = await Promise.all(some.map(({ id }) => store.get(experiences, [SPACE, id], true)))
      found.push(...whole.flatMap((row) => row ?? []))
    }
    return found
  }

  /** All are read for the first search; after that their solutions, which may be long, only of those that are new. */
  const load = async (version: number, before: Held | undefined): Promise<Held> => {
    const { createLexical } = await import('./lexical.ts')
    const { lexical, known }: Omit<Held, 'version'> = before ?? { lexical: createLexical(), known: new Map() }
    const rows = await newest(before === undefined)
    const here = new Set(rows.map(({ id }) => id))
    for (const id of known.keys())
      if (!here.has(id)) {
        lexical.remove(id)
        known.delete(id)
      }
    const added = before === undefined ? rows : await read(rows.filter(({ id }) => !known.has(id)))
    for (const row of added) {
      lexical.add(searched(row))
      known.set(row.id, row.type)
    }
    return { version, lexical, known }
  }

  /** Loaded only when something came or went, here or in another process. */
  const searching = async (): Promise<Held> => {
    const version = (await store.get(memoryState, STATE))?.version ?? 0
    const mine = last
      .catch(() => undefined)
      .then((held) => (held && held.version >= version ? held : load(version, held)))
    last = mine
    return mine
  }

  return {
    commit,
    read,
    /** The closest by words first. */
    find: async (question: string, type?: ExperienceRow['type']): Promise<Hit[]> => {
      const { lexical, known } = await searching()
      const hits = lexical.search(question, MOST_SEARCHED)
      return type === undefined ? hits : hits.filter(({ id }) => known.get(id) === type)
    },
  }
}

const searched = ({ id, type, intent, tags, solution }: ExperienceRow) => ({
  ...{ id, title: intent, place: [type.replaceAll('_', ' '), ...tags].join(' ') },
  text: typeof solution === 'string' ? solution : JSON.stringify(solution),
})
