export type Totals = Readonly<Record<string, number>>
/** Totals by the member of their group. */
export type Counts = Readonly<Record<string, Totals>>

/**
 * What has to be added to the kept totals to make them the counted ones; nothing at all where they are. A count that is
 * whole says of a total that it does not have that it is 0, any other says nothing of it; no rows tell what is `untold`.
 */
export const driftOf = (kept: Counts, counted: Counts, isWhole: boolean, untold: RegExp): Counts => {
  const members = namesOf(counted, isWhole ? kept : {})
  const drifts = members.map((member) => {
    const [had = {}, has = {}] = [kept[member], counted[member]]
    const steps = namesOf(has, isWhole ? had : {})
      .filter((name) => !untold.test(name))
      .map((name) => [name, (has[name] ?? 0) - (had[name] ?? 0)] as const)
    return [member, Object.fromEntries(steps.filter(([, step]) => step !== 0))] as const
  })
  return Object.fromEntries(drifts.filter(([, steps]) => Object.keys(steps).length > 0))
}

const namesOf = (one: object, other: object): string[] => [
  ...new Set([...Object.keys(one), ...Object.keys(other)]),
]

/** The same text for the same counts: storage keeps no order of names. */
export const textOf = (counts: Counts): string =>
  Object.entries(counts)
    .flatMap(([member, totals]) => Object.entries(totals).map(([name, n]) => `${member} ${name} ${n}`))
    .sort()
    .join(', ')
