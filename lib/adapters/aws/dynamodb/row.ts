import { checkStep, sum } from '../../../core/change.ts'
import type { Update } from '../../../ports/store.ts'
import type { Plan } from './plan.ts'
import { blobOf, type Fields } from './value.ts'

/** What an update makes of each field it names: a value, a step to add, or nothing. */
export type Effect = { value: unknown } | { step: number } | 'remove'
type Change = Pick<Update<Fields>, 'set' | 'add' | 'unset'>

/** One effect per field: values are set, then added to, then removed. A value that is undefined is left alone. */
export const effectsOf = ({ set = {}, add = {}, unset = [] }: Change): Map<string, Effect> => {
  const effects = new Map<string, Effect>()
  for (const [field, value] of Object.entries(set)) if (value !== undefined) effects.set(field, { value })
  for (const [field, step] of Object.entries(add)) {
    if (step === undefined) continue
    const before = effects.get(field)
    const isSet = typeof before === 'object' && 'value' in before
    effects.set(field, isSet ? { value: sum(before.value, step, field) } : { step: checkStep(step, field) })
  }
  for (const field of unset) effects.set(field, 'remove')
  return effects
}

/**
 * The row for whoever asked, with or without its heavy fields, and without those that have no value at hand; its fields
 * in the order of the collection.
 */
export const shown = ({ heavy, order }: Plan, row: Readonly<Fields>, detail: boolean): Fields => {
  const others = Object.keys(row)
    .filter((field) => !order.has(field))
    .sort()
  const isShown = (field: string): boolean =>
    row[field] !== undefined && (heavy.has(field) ? detail && blobOf(row[field]) === undefined : true)
  return Object.fromEntries([...order, ...others].filter(isShown).map((field) => [field, row[field]]))
}

/** Whether the row counts as absent, whenever DynamoDB removes it. */
export const hasExpired = ({ expires }: Plan, row: Readonly<Fields>, now: number): boolean =>
  expires !== undefined && Number(row[expires] ?? Infinity) <= now
