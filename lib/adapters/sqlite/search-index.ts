import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { fold } from '../../core/fold.ts'
import { hasWords, searchedTexts } from '../../core/searched-texts.ts'
import type { Fields, Plan } from './plan.ts'

/** The tokens of the index are all parts of three characters. */
const TOKEN = 3
/** Ends each text, so that a token begins at each of its characters. These two characters are private ones. */
const END = '\u{f0000}'.repeat(TOKEN - 1)
const NUL = '\u{f0001}'
const HIGHEST = '\u{10ffff}'

/** SQLite ends a text at NUL. */
const indexedForm = (text: string): string => fold(text).replaceAll('\0', NUL)

const quotedPhrase = (text: string) => `"${text.replaceAll('"', '""')}"`

const searchPlan = ({ search, name }: Plan) => {
  if (search === undefined) throw new Error(`${name} declares no search`)
  return search
}

/** The whole rows that are not indexed yet, by their numbers: all from the oldest on, or the newest ones. */
const openUnindexed = (db: DatabaseSync, plan: Plan, newest?: number) => {
  const { unindexed } = searchPlan(plan)
  const { table, detailTable } = plan
  const range = newest === undefined ? '' : `ORDER BY _rid DESC LIMIT ${newest}`
  const select = db.prepare(
    `SELECT _rid, _head, detail FROM (SELECT _rid FROM ${unindexed} ${range})
     JOIN ${table} USING (_rid) LEFT JOIN ${detailTable} USING (_rid)`,
  )
  select.setReturnArrays(true)
  return function* (): Generator<readonly [rid: number, row: Fields]> {
    for (const record of select.iterate()) {
      const [rid, head, detail] = record as unknown as [number, string, string | null]
      yield [rid, { ...JSON.parse(head), ...JSON.parse(detail ?? '{}') }]
    }
  }
}

/** After a large import, older rows are found once they are indexed. */
const MOST_UNINDEXED = 5_000

/**
 * Searches of one collection on the connection of readers. Rows that are not indexed yet are read one by one: a search
 * sees what other reads see.
 */
export const openSearch = (reader: DatabaseSync, plan: Plan) => {
  const { texts, index, unindexed } = searchPlan(plan)
  const found = `temp."${plan.name}_found"`
  const tokens = `temp."${plan.name}_tokens"`
  reader.exec(`CREATE TEMP TABLE "${plan.name}_found" (_rid INTEGER PRIMARY KEY);
    CREATE VIRTUAL TABLE ${tokens} USING fts5vocab(main, ${index}, 'row')`)
  const clear = reader.prepare(`DELETE FROM ${found}`)
  const addIndexed = reader.prepare(
    `INSERT INTO ${found} SELECT rowid FROM ${index} WHERE ${index} MATCH ?
     AND rowid NOT IN (SELECT _rid FROM ${unindexed})`,
  )
  const add = reader.prepare(`INSERT INTO ${found} VALUES (?)`)
  const tokensBetween = reader.prepare(`SELECT term FROM ${tokens} WHERE term >= ? AND term < ?`)
  const unindexedRows = openUnindexed(reader, plan, MOST_UNINDEXED)

  /** A word as a query of the index: a phrase, or any of the tokens that begin with a shorter one. */
  const toMatch = (word: string): string | undefined => {
    const text = indexedForm(word)
    if ([...text].length >= TOKEN) return quotedPhrase(text)
    const beginning = tokensBetween.all(text, text + HIGHEST)
    if (beginning.length === 0) return undefined
    return `(${beginning.map(({ term }) => quotedPhrase(String(term))).join(' OR ')})`
  }

  const indexedWith = (words: readonly string[]): number => {
    const matches = words.map(toMatch)
    if (matches.includes(undefined)) return 0
    return Number(addIndexed.run(matches.join(' AND ')).changes)
  }

  return {
    /** The numbers of the rows that have all words, as a table that the next search clears, and how many there are. */
    find: (words: readonly string[]): { table: string; count: number } => {
      clear.run()
      let count = indexedWith(words)
      const folded = words.map(fold)
      for (const [rid, row] of unindexedRows()) {
        if (!hasWords(searchedTexts(texts, row), folded)) continue
        add.run(rid)
        count += 1
      }
      return { table: found, count }
    },
  }
}

/**
 * Writes of one collection's index, in the open transaction. A commit only marks its rows: the tokens of a text take longer
 * to write than the row.
 */
export const openSearchWriter = (db: DatabaseSync, plan: Plan) => {
  const { texts, index, unindexed } = searchPlan(plan)
  const mark = db.prepare(`INSERT OR IGNORE INTO ${unindexed} VALUES (?)`)
  const unmark = db.prepare(`DELETE FROM ${unindexed} WHERE _rid = ?`)
  const remove = db.prepare(`DELETE FROM ${index} WHERE rowid = ?`)
  return {
    inserted: (rid: number): void => void mark.run(rid),
    /** `detail` is undefined where it stays as it is. */
    updated: (rid: number, before: Fields, after: Fields, detail: Fields | undefined): void => {
      const isChanged = texts.some(({ field }) =>
        plan.detail.has(field) ? detail !== undefined : before[field] !== after[field],
      )
      if (isChanged) mark.run(rid)
    },
    removed: (rid: number): void => {
      remove.run(rid)
      unmark.run(rid)
    },
  }
}

/** Indexes marked rows in the open transaction. */
export const openIndexer = (db: DatabaseSync, plan: Plan) => {
  const { texts, index, unindexed } = searchPlan(plan)
  const unindexedRows = openUnindexed(db, plan)
  const put = db.prepare(`REPLACE INTO ${index} (rowid, text) VALUES (?, ?)`)
  const unmark = db.prepare(`DELETE FROM ${unindexed} WHERE _rid = ?`)
  const any: StatementSync = db.prepare(`SELECT 1 FROM ${unindexed} LIMIT 1`)
  return {
    hasWork: (): boolean => any.get() !== undefined,
    /** Indexes at least one row, and goes on while `mayGoOn`. */
    indexSome: (mayGoOn: () => boolean): void => {
      const done: number[] = []
      for (const [rid, row] of unindexedRows()) {
        put.run(
          rid,
          searchedTexts(texts, row)
            .map(([, text]) => indexedForm(text) + END)
            .join(''),
        )
        done.push(rid)
        if (!mayGoOn()) break
      }
      for (const rid of done) unmark.run(rid)
    },
  }
}
