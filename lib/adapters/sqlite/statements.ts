import type { DatabaseSync, StatementSync } from 'node:sqlite'

type Prepare = Pick<DatabaseSync, 'prepare'>

/** Prepares statements that give records as lists of values: objects take more time to make. */
export const inLists = (db: Prepare): Prepare => ({
  prepare: (sql) => {
    const statement = db.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  },
})

/** Prepared statements by their text, at most `most` of them: the one used longest ago makes room. */
export const statementCache = (db: Prepare, most = 256) => {
  const prepared = new Map<string, StatementSync>()
  return (sql: string): StatementSync => {
    const known = prepared.get(sql)
    const statement = known ?? db.prepare(sql)
    if (known !== undefined) prepared.delete(sql)
    else if (prepared.size >= most) prepared.delete(prepared.keys().next().value ?? sql)
    prepared.set(sql, statement)
    return statement
  }
}
