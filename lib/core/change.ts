/** A row as it comes out of JSON. */
type Fields = { [field: string]: unknown }
/** The changes of fields that `Update` of the port `Store` describes. */
type Change = {
  set?: Readonly<Fields>
  setIfAbsent?: Readonly<Fields>
  add?: Readonly<Record<string, number | undefined>>
  unset?: readonly string[]
}

/** Whether the row meets every condition. A list means any of its values; absent and `null` are equal. */
export const meets = (row: Readonly<Fields>, when: Readonly<Fields> | undefined): boolean => {
  if (when === undefined) return true
  for (const field in when) {
    const asked = when[field]
    const value = row[field] ?? null
    if (Array.isArray(asked) ? !asked.includes(value) : value !== asked) return false
  }
  return true
}

/** Returns the step. Throws TypeError for one that is not a finite number. */
export const checkStep = (step: number, field: string): number => {
  if (!Number.isFinite(step)) throw new TypeError(`${field}: ${step} cannot be added`)
  return step
}

/** Returns the value plus the step; absent and `null` count as 0. Throws TypeError for a value that is not a number. */
export const sum = (value: unknown, step: number, field: string): number => {
  if (typeof value !== 'number' && value !== undefined && value !== null)
    throw new TypeError(`${field} is not a number: nothing can be added to it`)
  return (value ?? 0) + checkStep(step, field)
}

/**
 * Changes the row in place: `set`, `setIfAbsent`, `add`, then `unset`. A value that is undefined changes nothing. A
 * removed field becomes undefined: `delete` would move the object to slow dictionary mode for good.
 */
export const change = (row: Fields, { set, setIfAbsent, add, unset }: Change): void => {
  for (const field in set) if (set[field] !== undefined) row[field] = set[field]
  for (const field in setIfAbsent) row[field] ??= setIfAbsent[field]
  for (const field in add) {
    const step = add[field]
    if (step !== undefined) row[field] = sum(row[field], step, field)
  }
  if (unset !== undefined) for (const field of unset) if (row[field] !== undefined) row[field] = undefined
}

export const changed = (row: Readonly<Fields>, by: Change): Fields => {
  const after = { ...row }
  change(after, by)
  return after
}
