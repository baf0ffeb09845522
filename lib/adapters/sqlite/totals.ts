import type { DatabaseSync } from 'node:sqlite'
import { kept } from '../../core/kept.ts'
import type { Totals } from '../../ports/store.ts'

type Members = Readonly<Record<string, Totals>>

/**
 * Reads of running totals. Every list asks for some, so what was read while the file stood still is kept until it
 * changes: nobody writes to it but this store. `isChanging` tells whether a script is with the writer.
 */
export const openTotals = (db: DatabaseSync, isChanging: () => boolean) => {
  const select = db.prepare(
    'SELECT member, name, value FROM tally_totals WHERE grp = ? AND member >= ? ORDER BY member, name',
  )
  const groups = new Map<string, Members>()

  const read = (group: string, from: string): Members => {
    const members = Map.groupBy(select.all(group, from), ({ member }) => String(member))
    const totals = [...members].map(([member, rows]) => {
      const numbers = rows.map(({ name, value }) => [String(name), Number(value)])
      return [member, Object.freeze(Object.fromEntries(numbers))]
    })
    return Object.freeze(Object.fromEntries(totals))
  }

  return {
    /** Members of a group, by name, from `from` on; whoever gives one has them read. */
    of: (group: string, from: string): Members => {
      if (from !== '' || isChanging()) return read(group, from)
      return kept(groups, group, () => read(group, from))
    },
    /** The file has changed. */
    forget: (): void => groups.clear(),
  }
}
