import type { Fields } from './change.ts'
import type { Address } from './entry.ts'
import { type Plan, quoted } from './plan.ts'
import { cell } from './scalar.ts'
import type { Draft } from './script.ts'

/** A bit each in a number of 32. */
const MOST_COLUMNS = 30

/** Names one record by its address. */
export const addressed = ({ address }: Plan) => address.map((column) => `${column} = ?`).join(' AND ')

/** Sets only the columns that changed: SQLite rewrites the entry of every index whose column is named. */
export const updater = ({ plan, draft }: { plan: Plan; draft: Draft }) => {
  const { columns, address, name } = plan
  if (columns.length > MOST_COLUMNS) throw new Error(`${name} has more than ${MOST_COLUMNS} columns`)
  type Statement = { number: number; values: number }
  const statements = new Map<number, Statement>()
  /** By a bit for the small detail and one for each column. */
  const statementOf = (changed: number): Statement => {
    const known = statements.get(changed)
    if (known !== undefined) return known
    const set = ['_small', ...columns.map(quoted)].filter((_, bit) => changed & (1 << bit))
    const names = ['_head', ...set].map((name) => `${name} = ?`).join(', ')
    const number = draft.statement(`UPDATE ${plan.table} SET ${names} WHERE ${addressed(plan)}`)
    const made = { number, values: 1 + set.length + address.length }
    statements.set(changed, made)
    return made
  }
  /** `small` undefined leaves the detail alone. */
  return (at: Address, before: Fields, row: Fields, text: string, small: string | null | undefined): void => {
    let changed = small === undefined ? 0 : 1
    columns.forEach((field, place) => {
      if (cell(row[field], field) !== cell(before[field], field)) changed |= 2 << place
    })
    const { number, values } = statementOf(changed)
    draft.begin(number, values)
    draft.value(text)
    if (small !== undefined) draft.value(small)
    columns.forEach((field, place) => {
      if (changed & (2 << place)) draft.value(cell(row[field], field))
    })
    for (const part of at) draft.value(part)
  }
}
