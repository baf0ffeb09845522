import type { DatabaseSync } from 'node:sqlite'
import type { Participant } from './group-commit.ts'
import type { Plan } from './plan.ts'
import type { BatchBuilder } from './write-batch.ts'

export type HighWater = ReturnType<typeof openHighWater>
/** `kept` is the value in the file, or in the next batch: never lower than `highest`. */
type Mark = { highest: string; kept: string; changed: boolean }

/**
 * The stored prefix of a key, which for ids is their time, to a second or less: a mark that changed with every batch
 * would cost one more page in each.
 */
const KEPT = 13
const ABOVE_ALL = '~'

/** An upper bound that also covers the keys of the next moment. */
const boundOf = (key: string): string => {
  const bound = `${key.slice(0, KEPT)}${ABOVE_ALL}`
  return bound < key ? key : bound
}

/**
 * The highest key that each table ever had. Keys grow, so most new rows are above the mark and are known to be new
 * without a read. The file has a bound above the marks, written with the rows that raise them: keys in between are looked
 * up after a restart. Keys are compared by code unit here and by byte in the file, which is the same order for ASCII
 * keys.
 */
export const openHighWater = (db: DatabaseSync, plans: readonly Plan[], batch: BatchBuilder) => {
  const read = db.prepare('SELECT highest FROM high_water WHERE name = ?')
  const keep = batch.statement(
    'INSERT INTO high_water VALUES (?, ?) ON CONFLICT DO UPDATE SET highest = excluded.highest',
  )
  const marks = new Map<string, Mark>()
  for (const plan of plans) {
    const highest = String(read.get(plan.name)?.highest ?? '')
    marks.set(plan.name, { highest, kept: highest, changed: false })
  }
  return {
    /** For one table: whether no row can have this key; records that one has it from now on. */
    of: (name: string): ((key: string) => boolean) => {
      const mark = marks.get(name)
      if (mark === undefined) throw new Error(`The table ${name} has no mark`)
      return (key) => {
        if (key <= mark.highest) return false
        mark.highest = key
        if (key > mark.kept) {
          mark.kept = boundOf(key)
          mark.changed = true
        }
        return true
      }
    },
    /** Adds the marks that rose since the last batch. */
    seal: (): void => {
      for (const [name, mark] of marks) {
        if (mark.changed) batch.add(keep, [name, mark.kept])
        mark.changed = false
      }
    },
    committed: () => undefined,
    /** A batch with marks may be void: all are written again. */
    voided: (): void => {
      for (const mark of marks.values()) mark.changed = mark.kept !== ''
    },
  } satisfies Participant & { of: unknown }
}
