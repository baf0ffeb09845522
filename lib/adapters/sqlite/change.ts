import type { When } from '../../ports/store.ts'

/** A row as it comes out of JSON: ours alone, so it is changed in place. */
export type Fields = { [field: string]: unknown }
type Change = {
  set?: Readonly<Fields>
  add?: Readonly<Record<string, number | undefined>>
  unset?: readonly string[]
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
