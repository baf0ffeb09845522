import { kept } from '../../core/kept.ts'
import type { Tally } from '../../ports/store.ts'
import type { Draft } from './script.ts'

const KINDS = ['add', 'least', 'most'] as const
type Kind = (typeof KINDS)[number]
type Sums = Record<Kind, Map<string, number>>

const COMBINE: Record<Kind, (a: number, b: number) => number> = {
  add: (a, b) => a + b,
  least: Math.min,
  most: Math.max,
}
const ON_CONFLICT: Record<Kind, string> = {
  add: 'value + excluded.value',
  least: 'min(value, excluded.value)',
  most: 'max(value, excluded.value)',
}

/** Throws TypeError for a number that no total would survive. */
const check = (tally: Tally): void => {
  for (const kind of KINDS)
    for (const name in tally[kind])
      if (!Number.isFinite(tally[kind]?.[name]))
        throw new TypeError(`${name} of ${tally.member} is not a number`)
}

/** What tallies, each taken so many times, come to: by group, member, kind and name. */
const summed = (pending: ReadonlyMap<Tally, number>): Map<string, Map<string, Sums>> => {
  const groups = new Map<string, Map<string, Sums>>()
  for (const [tally, times] of pending) {
    const members = kept(groups, tally.tally, () => new Map<string, Sums>())
    const sums = kept(members, tally.member, () => ({ add: new Map(), least: new Map(), most: new Map() }))
    for (const kind of KINDS) {
      const numbers = tally[kind]
      for (const name in numbers) {
        const known = sums[kind].get(name)
        const value = (numbers[name] as number) * (kind === 'add' ? times : 1)
        sums[kind].set(name, known === undefined ? value : COMBINE[kind](known, value))
      }
    }
  }
  return groups
}

/**
 * Running totals. Those of one script are summed up in memory and stored once per name at its end, so that a counter
 * which every task touches costs one write per transaction. A tally that is taken again and again, the very same
 * object, is only counted until then.
 */
export const openTallies = (draft: Draft) => {
  const pending = new Map<Tally, number>()
  const store = Object.fromEntries(
    KINDS.map((kind) => [
      kind,
      draft.statement(
        `INSERT INTO tally_totals VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = ${ON_CONFLICT[kind]}`,
      ),
    ]),
  ) as Record<Kind, number>
  return {
    /** The tally; throws TypeError for one that cannot be taken. */
    check: (tally: Tally): Tally => {
      if (!pending.has(tally)) check(tally)
      return tally
    },
    /** Takes a tally that passed `check` into the script under construction. */
    add: (tally: Tally): void => {
      pending.set(tally, (pending.get(tally) ?? 0) + 1)
    },
    forget: () => pending.clear(),
    /** Adds what was taken since the last time to the draft. */
    flush: (): void => {
      for (const [group, members] of summed(pending))
        for (const [member, sums] of members)
          for (const kind of KINDS)
            for (const [name, value] of sums[kind]) draft.add(store[kind], [group, member, name, value])
      pending.clear()
    },
  }
}
export type Tallies = ReturnType<typeof openTallies>
