/** A row as it comes out of JSON. */
type Fields = { [field: string]: unknown }
/** What becomes of the fields that it names, as `Update` of the port `Store` has it. */
type Change = {
  set?: Readonly<Fields>
  setIfAbsent?: Readonly<Fields>
  add?: Readonly<Record<string, number | undefined>>
  unset?: readonly string[]
}

/** Whether the row has every value asked for, a list meaning any of them; absent and `null` are the same. */
export const meets = (row: Readonly<Fields>, when: Readonly<Fields> | undefined): boolean => {
  if (when === undefined) return true
  for (const field in when) {
    const asked = when[field]
    const value = row[field] ?? null
    if (Array.isArray(asked) ? !asked.includes(value) : value !== asked) return false
  }
  return true
}

/** A step that can be added. Throws TypeError for one that is no finite number. */
export const checkStep = (step: number, field: string): number => {
  if (!Number.isFinite(step)) throw new TypeError(`${field}: ${step} cannot be added`)
  return step
}

/** The value with the step added; absent and `null` count as 0. Throws TypeError for what is no number. */
export const sum = (value: unknown, step: number, field: string): number => {
  if (typeof value !== 'number' && value !== undefined && value !== null)
    throw new TypeError(`${field} is not a number: nothing can be added to it`)
  return (value ?? 0) + checkStep(step, field)
}

/**
 * Changes the row in place: `set`, then `setIfAbsent`, `add` and `unset`. `setIfAbsent` sets a field only where the row has
 * none. A value that is undefined is left alone.
 * A removed field becomes undefined, which is no field in JSON: `delete` would make the object a slow one for good.
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

/** The row as a change leaves it. */
export const changed = (row: Readonly<Fields>, by: Change): Fields => {
  const after = { ...row }
  change(after, by)
  return after
}
