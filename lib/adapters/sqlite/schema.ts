import type { DatabaseSync } from 'node:sqlite'
import { Problem } from '../../core/errors.ts'
import { createCounterTable } from './counters.ts'
import { markOpen } from './file-record.ts'
import { createOutboxTable } from './outbox.ts'
import { cell, type Plan, quoted } from './plan.ts'

/** The layout that this version reads and writes, stored in `user_version`. New collections and indexes need no new one. */
const LAYOUT = 2
const list = (fields: readonly string[]) => fields.map(quoted).join(', ')

/** All columns at once: SQLite reads the whole schema again for each column that is added later. */
const create = (db: DatabaseSync, plan: Plan) => {
  const columns = [
    ...plan.keys.map((field) => `${quoted(field)} NOT NULL`),
    '_head TEXT NOT NULL',
    ...plan.columns.map(quoted),
  ].join(', ')
  const key = list(plan.keys)
  if (plan.clustered)
    return db.exec(`CREATE TABLE ${plan.table} (${columns}, PRIMARY KEY (${key})) WITHOUT ROWID`)
  db.exec(`CREATE TABLE ${plan.table} (_rid INTEGER PRIMARY KEY, ${columns}, UNIQUE (${key}))`)
  db.exec(`CREATE TABLE ${plan.detailTable} (_rid INTEGER PRIMARY KEY, detail TEXT NOT NULL)`)
}

/** The existing columns; those of the key are NOT NULL. */
const storedColumns = (db: DatabaseSync, plan: Plan) => {
  const columns = db.prepare(`PRAGMA table_info(${plan.table})`).all()
  const names = (of: typeof columns) =>
    of.map(({ name }) => String(name)).filter((name) => !name.startsWith('_'))
  return { all: names(columns), keys: names(columns.filter(({ notnull }) => notnull === 1)) }
}

/** Indexes that are no longer declared cost every write; such columns would be outdated. Both are dropped. */
const dropRetired = (db: DatabaseSync, plan: Plan, present: readonly string[]) => {
  const wanted = new Set([...plan.indexes.values()].map((index) => index.name))
  if (plan.expires !== undefined) wanted.add(expiryIndex(plan))
  const rows = db.prepare(
    `SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = ?`,
  )
  for (const { name } of rows.all(plan.name)) if (!wanted.has(`"${name}"`)) db.exec(`DROP INDEX "${name}"`)
  const kept = new Set([...plan.keys, ...plan.columns])
  for (const field of present)
    if (!kept.has(field)) db.exec(`ALTER TABLE ${plan.table} DROP COLUMN ${quoted(field)}`)
}

const expiryIndex = (plan: Plan) => `"${plan.name}_expires"`

/** A new column is filled from the rows by the code that fills it at every write, so that both are identical. */
const addColumn = (db: DatabaseSync, plan: Plan, field: string) => {
  db.exec(`ALTER TABLE ${plan.table} ADD COLUMN ${quoted(field)}`)
  db.function('_cell', (summary) => cell(JSON.parse(String(summary))[field], field))
  db.exec(`UPDATE ${plan.table} SET ${quoted(field)} = _cell(_head)`)
}

/**
 * An index leaves out rows without the field. A key is never absent, and SQLite would not use a partial index for one.
 */
const present = (plan: Plan, field: string) =>
  plan.keys.includes(field) ? '' : ` WHERE ${quoted(field)} IS NOT NULL`

const createIndexes = (db: DatabaseSync, plan: Plan) => {
  for (const { name, columns, by, clustered } of plan.indexes.values()) {
    if (clustered) continue
    db.exec(`CREATE INDEX IF NOT EXISTS ${name} ON ${plan.table} (${list(columns)})${present(plan, by)}`)
  }
  if (plan.expires === undefined) return
  const expires = quoted(plan.expires)
  db.exec(
    `CREATE INDEX IF NOT EXISTS ${expiryIndex(plan)} ON ${plan.table} (${expires})${present(plan, plan.expires)}`,
  )
}

/**
 * Trigrams find any part of a text, as of ids, paths and languages without spaces. The index has no copy of the texts
 * (https://sqlite.org/fts5.html#contentless_delete_tables), which are folded before they get here.
 */
const createSearchIndex = (db: DatabaseSync, plan: Plan) => {
  if (plan.search === undefined) return
  const { index, unindexed } = plan.search
  const known = db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(unindexed.slice(1, -1))
  if (known !== undefined) return
  db.exec(`CREATE VIRTUAL TABLE ${index} USING fts5
    (text, content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1')`)
  // With a lower share of removed entries, each change of a row would rewrite large parts of the index.
  db.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('deletemerge', 50)`)
  db.exec(`CREATE TABLE ${unindexed} (_rid INTEGER PRIMARY KEY)`)
  db.exec(`INSERT INTO ${unindexed} SELECT _rid FROM ${plan.table}`)
}

/** Updates an existing table to the declared columns, and drops indexes that are no longer declared. */
const adapt = (db: DatabaseSync, plan: Plan, { all: present, keys }: ReturnType<typeof storedColumns>) => {
  if (keys.join() !== plan.keys.join())
    throw new Problem('unavailable', 'storage_incompatible', `The key of stored ${plan.name} is another one.`)
  dropRetired(db, plan, present)
  for (const field of plan.columns) if (!present.includes(field)) addColumn(db, plan, field)
}

const growTable = (db: DatabaseSync, plan: Plan) => {
  const columns = storedColumns(db, plan)
  if (columns.all.length === 0) create(db, plan)
  else adapt(db, plan, columns)
  createIndexes(db, plan)
  createSearchIndex(db, plan)
}

const refuseOtherLayout = (db: DatabaseSync): void => {
  const layout = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  if (layout === 0 && db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined) return
  if (layout > LAYOUT)
    throw new Problem(
      'unavailable',
      'storage_too_new',
      `The data file has layout ${layout}, of a newer version of this service; this version reads layout ${LAYOUT}: start the newer version, or set DATA_DIR to another folder.`,
    )
  if (layout < LAYOUT)
    throw new Problem(
      'unavailable',
      'storage_incompatible',
      'The data file was not written by this service, or by a version before its first release: set DATA_DIR to another folder.',
    )
}

/**
 * Updates the file to the declarations in one transaction: new collections, indexes and columns appear, retired indexes
 * are dropped, rows stay, and the file is marked as open. Throws Problem `unavailable`: `storage_too_new` for a file of a
 * newer version, `storage_incompatible` for one of another service and for a collection whose key is another one.
 */
export const grow = (db: DatabaseSync, plans: readonly Plan[]): void => {
  refuseOtherLayout(db)
  db.exec('BEGIN IMMEDIATE')
  createCounterTable(db)
  createOutboxTable(db)
  markOpen(db)
  for (const plan of plans) growTable(db, plan)
  db.exec(`PRAGMA user_version = ${LAYOUT}; COMMIT`)
}
