import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { CommitCount } from './commit-count.ts'
import type { Cell } from './plan.ts'

/**
 * Statements to run in one transaction. `define` are SQL texts that get the next free numbers; `steps` is flat: the
 * number of a statement, the number of its values, the values. `era` grows after a failed batch: later decisions of the
 * old era must not run.
 */
export type WriteBatch = { era: number; define: string[]; steps: Cell[] }

/** Runs batches in their order. Rejects with SQLite's error; nothing of the batch remains then. */
export interface Writer {
  run(batch: WriteBatch): Promise<void>
  /** Checkpoints the log into the file and closes it, after all batches. */
  close(): Promise<void>
}

export type BatchBuilder = ReturnType<typeof createBatchBuilder>

/** The batch under construction. A statement keeps its number; both sides keep it prepared. */
export const createBatchBuilder = () => {
  const numbers = new Map<string, number>()
  let define: string[] = []
  let steps: Cell[] = []
  let era = 0
  return {
    /** The number of a statement. */
    statement: (sql: string): number => {
      const known = numbers.get(sql)
      if (known !== undefined) return known
      numbers.set(sql, numbers.size)
      define.push(sql)
      return numbers.size - 1
    },
    /** Begins a step; `values` calls of `value` follow. */
    begin: (number: number, values: number): void => {
      steps.push(number, values)
    },
    value: (one: Cell): void => {
      steps.push(one)
    },
    add: (number: number, values: readonly Cell[]): void => {
      steps.push(number, values.length, ...values)
    },
    /** The era of the present decisions. */
    get era() {
      return era
    },
    seal: (): WriteBatch => {
      const batch = { era, define, steps }
      define = []
      steps = []
      return batch
    },
    /**
     * Begins the next era after a failed batch. A statement keeps its number, so those that only a `dropped` batch
     * introduced are sent to the writer again.
     */
    startOver: (dropped: readonly WriteBatch[]): void => {
      era += 1
      define = [...dropped.flatMap((batch) => batch.define), ...define]
      steps = []
    },
  }
}

/**
 * Runs batches on a connection, each in one counted transaction. After a failure it refuses batches of the same era. The
 * returned function throws SQLite's error; nothing of the batch remains then.
 */
export const openExecution = (db: DatabaseSync, count?: Pick<CommitCount, 'add' | 'committed'>) => {
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

  const runSteps = ({ steps }: WriteBatch) => {
    for (let at = 0; at < steps.length; ) {
      const first = at + 2
      const end = first + Number(steps[at + 1])
      statement(Number(steps[at])).run(...steps.slice(first, end))
      at = end
    }
  }

  return (batch: WriteBatch): void => {
    texts.push(...batch.define)
    if (failed?.era === batch.era) throw failed.error
    try {
      begin.run()
      runSteps(batch)
      count?.add()
      commit.run()
      count?.committed()
    } catch (error) {
      failed = { era: batch.era, error }
      // Some failures (disk full, I/O) have rolled back already: https://sqlite.org/lang_transaction.html
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
  }
}
