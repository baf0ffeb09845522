import type { Scalar, Update, When } from '../../../ports/store.ts'
import type { Plan } from './plan.ts'
import { blobOf, type Fields } from './value.ts'

/** Whether the row has every value asked for; absent and `null` are the same. */
export const meets = (row: Readonly<Fields>, when: When<Fields> = {}): boolean =>
  Object.entries(when).every(([field, asked]) => {
    const value = (row[field] ?? null) as Scalar | null
    return Array.isArray(asked) ? asked.includes(value) : value === asked
  })

/** What an update makes of each field it names: a value, a step to add, or nothing. */
export type Effect = { value: unknown } | { step: number } | 'remove'
type Change = Pick<Update<Fields>, 'set' | 'add' | 'unset'>

const sum = (value: unknown, step: number, field: string): number => {
  if (typeof value !== 'number' && value !== undefined && value !== null)
    throw new TypeError(`${field} is not a number: nothing can be added to it`)
  return (value ?? 0) + step
}

/** One effect per field: values are set, then added to, then removed. A value that is undefined is left alone. */
export const effectsOf = ({ set = {}, add = {}, unset = [] }: Change): Map<string, Effect> => {
  const effects = new Map<string, Effect>()
  for (const [field, value] of Object.entries(set)) if (value !== undefined) effects.set(field, { value })
  for (const [field, step] of Object.entries(add)) {
    if (step === undefined) continue
    if (!Number.isFinite(step)) throw new TypeError(`${field}: ${step} cannot be added`)
    const before = effects.get(field)
    const isSet = typeof before === 'object' && 'value' in before
    effects.set(field, isSet ? { value: sum(before.value, step, field) } : { step })
  }
  for (const field of unset) effects.set(field, 'remove')
  return effects
}

/** The row as an update leaves it. */
export const changed = (row: Readonly<Fields>, write: Change): Fields => {
  const after = { ...row }
  for (const [field, effect] of effectsOf(write)) {
    if (effect === 'remove') delete after[field]
    else after[field] = 'value' in effect ? effect.value : sum(row[field], effect.step, field)
  }
  return after
}

/** The row for whoever asked, with or without its heavy fields, and without those that have no value at hand. */
export const shown = ({ heavy }: Plan, row: Readonly<Fields>, detail: boolean): Fields =>
  Object.fromEntries(
    Object.entries(row).filter(
      ([field, value]) =>
        value !== undefined && (heavy.has(field) ? detail && blobOf(value) === undefined : true),
    ),
  )

/** Whether the row counts as absent, whenever DynamoDB removes it. */
export const hasExpired = ({ expires }: Plan, row: Readonly<Fields>, now: number): boolean =>
  expires !== undefined && Number(row[expires] ?? Infinity) <= now
