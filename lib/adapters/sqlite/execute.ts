import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Script } from './script.ts'

/** Runs scripts on a connection, each in one transaction. After a failure it refuses what belongs to the same era. */
export const openExecution = (db: DatabaseSync) => {
  const texts: string[] = []
  const prepared: StatementSync[] = []
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  let failed: { era: number; error: unknown } | undefined

  const statement = (number: number): StatementSync => {
    const known = prepared[number]
    if (known !== undefined) return known
    const text = texts[number]
    if (text === undefined) throw new Error(`Statement ${number} was never defined`)
    const made = db.prepare(text)
    prepared[number] = made
    return made
  }

  const runSteps = ({ steps }: Script) => {
    for (let at = 0; at < steps.length; ) {
      const first = at + 2
      const end = first + Number(steps[at + 1])
      statement(Number(steps[at])).run(...steps.slice(first, end))
      at = end
    }
  }

  /** Throws what SQLite raised; nothing of the script remains then. */
  return (script: Script): void => {
    texts.push(...script.define)
    if (failed?.era === script.era) throw failed.error
    try {
      begin.run()
      runSteps(script)
      commit.run()
    } catch (error) {
      failed = { era: script.era, error }
      // Some failures (disk full, I/O) have rolled back already: https://sqlite.org/lang_transaction.html
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
  }
}
