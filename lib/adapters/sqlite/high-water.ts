import type { DatabaseSync } from 'node:sqlite'
import { type Plan, quoted } from './plan.ts'
import type { Draft } from './script.ts'

export type HighWater = ReturnType<typeof openHighWater>
type Mark = { highest: string; changed: boolean }

/**
 * The highest key that each table ever held. Keys are made in rising order, so that most new rows lie above the mark and
 * are known to be new without a look into the file. The marks are kept in the file, with the rows that raise them.
 * Keys are compared by code unit here and by byte there, which is the same order for the ASCII that keys are made of.
 */
export const openHighWater = (db: DatabaseSync, plans: readonly Plan[], draft: Draft) => {
  const kept = db.prepare('SELECT highest FROM high_water WHERE name = ?')
  const keep = draft.statement(
    'INSERT INTO high_water VALUES (?, ?) ON CONFLICT DO UPDATE SET highest = excluded.highest',
  )
  const marks = new Map<string, Mark>()
  for (const { name, table, key } of plans) {
    const known =
      kept.get(name)?.highest ?? db.prepare(`SELECT max(${quoted(key)}) AS key FROM ${table}`).get()?.key
    marks.set(name, newMark(String(known ?? '')))
  }
  return {
    /** For one table: whether no row of it can have this key; notes that one has it from now on. */
    of: (name: string): ((key: string) => boolean) => {
      const mark = marks.get(name) ?? newMark('')
      marks.set(name, mark)
      return (key) => {
        if (key <= mark.highest) return false
        mark.highest = key
        mark.changed = true
        return true
      }
    },
    /** A script that held marks may be void: all are written once more. */
    keepAgain: (): void => {
      for (const mark of marks.values()) mark.changed = mark.highest !== ''
    },
    /** Adds the marks that rose since the last time to the draft. */
    flush: (): void => {
      for (const [name, mark] of marks) {
        if (mark.changed) draft.add(keep, [name, mark.highest])
        mark.changed = false
      }
    },
  }
}

const newMark = (highest: string): Mark => ({ highest, changed: false })
