import type { DatabaseSync } from 'node:sqlite'
import type { Totals } from '../../ports/store.ts'

type Members = Readonly<Record<string, Totals>>

/**
 * Reads of running totals. Every list asks for some, so what was read is kept until the next script is durable: nobody
 * writes to the file but this store.
 */
export const openTotals = (db: DatabaseSync) => {
  const select = db.prepare(
    'SELECT member, name, value FROM tally_totals WHERE grp = ? AND member >= ? ORDER BY member, name',
  )
  const kept = new Map<string, Members>()

  const read = (group: string, from: string): Members => {
    const members = Map.groupBy(select.all(group, from), ({ member }) => String(member))
    const numbers = (name: string) =>
      members.get(name)?.map((total) => [String(total.name), Number(total.value)]) ?? []
    const totals = [...members.keys()].map((name) => [name, Object.freeze(Object.fromEntries(numbers(name)))])
    return Object.freeze(Object.fromEntries(totals))
  }

  return {
    /** Members of a group, by name, from `from` on. */
    of: (group: string, from: string): Members => {
      if (from !== '') return read(group, from)
      const totals = kept.get(group) ?? read(group, from)
      kept.set(group, totals)
      return totals
    },
    /** What was read may have changed. */
    forget: (): void => kept.clear(),
  }
}
