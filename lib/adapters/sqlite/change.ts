import type { When } from '../../ports/store.ts'

/** A row as it comes out of JSON: ours alone, so it is changed in place. */
export type Fields = { [field: string]: unknown }
type Change = {
  set?: Readonly<Fields>
  add?: Readonly<Record<string, number | undefined>>
  unset?: readonly string[]
}

/** Whether the row has every value asked for; absent and `null` are the same. */
export const meets = (row: Readonly<Fields>, when: When<Fields> | undefined): boolean => {
  if (when === undefined) return true
  for (const field in when) {
    const asked = when[field]
    const value = row[field] ?? null
    if (Array.isArray(asked) ? !asked.includes(value) : value !== asked) return false
  }
  return true
}

const sum = (value: unknown, step: number, field: string): number => {
  if (typeof value !== 'number' && value !== undefined && value !== null)
    throw new TypeError(`${field} is not a number: nothing can be added to it`)
  if (!Number.isFinite(step)) throw new TypeError(`${field}: ${step} cannot be added`)
  return (value ?? 0) + step
}

/**
 * Changes the row in place: values are set, then added to, then removed. A value that is undefined is left alone.
 * A removed field becomes undefined, which is no field in JSON: `delete` would make the object a slow one for good.
 */
export const change = (row: Fields, { set, add, unset }: Change): void => {
  for (const field in set) if (set[field] !== undefined) row[field] = set[field]
  for (const field in add) {
    const step = add[field]
    if (step !== undefined) row[field] = sum(row[field], step, field)
  }
  if (unset !== undefined) for (const field of unset) if (row[field] !== undefined) row[field] = undefined
}

const namesAny = (fields: ReadonlySet<string>, named: object | undefined): boolean => {
  for (const field in named) if (fields.has(field)) return true
  return false
}

/** Whether a change names one of the fields. */
export const changesAny = (fields: ReadonlySet<string>, { set, add, unset }: Change): boolean =>
  namesAny(fields, set) || namesAny(fields, add) || (unset?.some((field) => fields.has(field)) ?? false)

/** Whether a condition names one of the fields. */
export const asksAny = (fields: ReadonlySet<string>, when: When<Fields> | undefined): boolean =>
  namesAny(fields, when)

/**
 * The row's light and heavy fields apart; without any heavy one `detail` is undefined. Heavy fields stay in `head` as
 * undefined, so that it is an object of the row's own shape.
 */
export const split = (
  row: Readonly<Fields>,
  heavy: ReadonlySet<string>,
): { head: Fields; detail: Fields | undefined } => {
  if (heavy.size === 0) return { head: row, detail: undefined }
  const head: Fields = { ...row }
  let detail: Fields | undefined
  for (const field of heavy) {
    const value = head[field]
    if (value === undefined) continue
    detail ??= {}
    detail[field] = value
    head[field] = undefined
  }
  return { head, detail }
}
