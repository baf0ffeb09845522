import type { Delete, Put, Update as UpdateItem } from '@aws-sdk/client-dynamodb'
import type { Key, Remove, Update } from '../../../ports/store.ts'
import { isAbsent, isThere } from './condition.ts'
import { isAnyFixed } from './fixed.ts'
import { derivations, itemOf, keyFields, keyItem, ownName } from './item.ts'
import { type Plan, TOKEN } from './plan.ts'
import { type Effect, effectsOf } from './row.ts'
import { createTerms } from './terms.ts'
import { type Change, createChange } from './update-expression.ts'
import { encode, type Fields } from './value.ts'

/** One conditional write, in the form that a request and a transaction share. */
export type Request = { Put: Put } | { Update: UpdateItem } | { Delete: Delete }
/** What every write carries: its token, and the time that expiry is judged by. */
export type Stamp = { token: string; now: number }

/** A failed condition answers what stands in the way, so that nobody has to read it. */
const ANSWER = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const

export const insertRequest = (plan: Plan, row: Fields, { token, now }: Stamp): { Put: Put } => {
  const terms = createTerms()
  const condition = isAbsent(plan, terms, now)
  return {
    Put: {
      TableName: plan.table,
      Item: itemOf(plan, row, token),
      ConditionExpression: condition,
      ...terms.attributes(),
      ...ANSWER,
    },
  }
}

/** Undefined for a removal that depends on what is stored. */
export const removeRequest = (
  plan: Plan,
  { key, when }: Pick<Remove<Fields>, 'key' | 'when'>,
  { token, now }: Stamp,
): { Delete: Delete } | undefined => {
  if (isAnyFixed(plan, Object.keys(when ?? {}))) return undefined
  const terms = createTerms()
  const condition = isThere(plan, terms, when, token, now)
  return {
    Delete: {
      TableName: plan.table,
      Key: keyItem(plan, key),
      ConditionExpression: condition,
      ...terms.attributes(),
      ...ANSWER,
    },
  }
}

/** A key stays for the life of its row: no change may name it with another value. */
const refuseNewKey = (plan: Plan, effects: Map<string, Effect>, own: Fields): void => {
  for (const field of plan.keys) {
    const effect = effects.get(field)
    if (effect === undefined) continue
    if (effect === 'remove' || 'step' in effect || effect.value !== own[field])
      throw new TypeError(`${field} of ${plan.name} cannot change: it is a key`)
    effects.delete(field)
  }
}

/** Whether an effect depends on what is stored: a number added to a field that an attribute of ours is made from. */
const isBlind = ({ derived }: Plan, effects: ReadonlyMap<string, Effect>): boolean =>
  [...effects].some(([field, effect]) => effect !== 'remove' && 'step' in effect && derived.has(field))

/** What the update makes of the fields, and of our own attributes that are made from them. */
const writeChange = (plan: Plan, key: Key, change: Change, effects: ReadonlyMap<string, Effect>): void => {
  for (const [field, effect] of effects) {
    ownName(field)
    if (effect === 'remove') change.put(field, undefined)
    else if ('value' in effect) change.put(field, encode(effect.value))
    else change.add(field, effect.step)
  }
  for (const { field, name, from } of derivations(plan, key)) {
    const effect = field === undefined ? undefined : effects.get(field)
    if (effect === 'remove') change.put(name, undefined)
    else if (effect !== undefined && 'value' in effect) change.put(name, from(effect.value))
  }
}

/**
 * An update as one native write, or undefined for one that depends on what is stored. Throws TypeError for a change of
 * a key.
 */
export const updateRequest = (
  plan: Plan,
  write: Omit<Update<Fields>, 'update'>,
  { token, now }: Stamp,
): { Update: UpdateItem & { UpdateExpression: string } } | undefined => {
  const { key, when } = write
  const effects = effectsOf(write)
  refuseNewKey(plan, effects, keyFields(plan, key))
  const named = [...effects.keys(), ...Object.keys(when ?? {})]
  if (isBlind(plan, effects) || isAnyFixed(plan, named)) return undefined
  const terms = createTerms()
  const change = createChange(terms)
  change.put(TOKEN, { S: token })
  writeChange(plan, key, change, effects)
  return {
    Update: {
      TableName: plan.table,
      Key: keyItem(plan, key),
      UpdateExpression: change.text(),
      ConditionExpression: isThere(plan, terms, when, token, now),
      ...terms.attributes(),
      ...ANSWER,
    },
  }
}

/** What a row that was read is to become, provided that nobody wrote it since: undefined for removed. */
export const replaceRequest = (
  plan: Plan,
  before: { key: Key; seen: string },
  after: Fields | undefined,
  { token }: Stamp,
): Request => {
  const terms = createTerms()
  const common = {
    TableName: plan.table,
    ConditionExpression: `${terms.name(TOKEN)} = ${terms.value({ S: before.seen })}`,
    ...terms.attributes(),
    ...ANSWER,
  }
  return after === undefined
    ? { Delete: { ...common, Key: keyItem(plan, before.key) } }
    : { Put: { ...common, Item: itemOf(plan, after, token) } }
}
