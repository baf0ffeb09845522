import type { DeleteCommandInput, PutCommandInput, UpdateCommandInput } from '@aws-sdk/lib-dynamodb'
import { checkStep, sum } from '../../../core/change.ts'
import type { Key, Remove, Update } from '../../../ports/store.ts'
import { createTerms, createUpdate, isAbsent, isThere, type UpdateParts } from './expressions.ts'
import { derivations, encode, type Fields, keyItem, type Metadata, ownName, toItem } from './item.ts'
import { isAnyFixed, LOG, type Plan, TOKEN } from './plan.ts'

type Conditional<Input> = Omit<
  Input,
  'ReturnValues' | 'ReturnConsumedCapacity' | 'ReturnItemCollectionMetrics'
>
/** One conditional write, in a form for a request or a transaction. */
export type Request =
  | { Put: Conditional<PutCommandInput> }
  | { Update: Conditional<UpdateCommandInput> & { UpdateExpression: string } }
  | { Delete: Conditional<DeleteCommandInput> }
/** The stamp of a write: its token, the time for checks of expiry, and the texts for its log. */
export type Stamp = { token: string; now: number; log: readonly string[] }

/** A failed condition returns the item, so that no read is needed. */
const ANSWER = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const

/** The effect of an update on a field: a value, a step to add, or a removal. */
type Effect = { value: unknown; ifAbsent?: true } | { step: number } | 'remove'

/** One effect per field: values are set, then added to, then removed. An undefined value changes nothing. */
export const fieldEffects = ({
  set = {},
  setIfAbsent = {},
  add = {},
  unset = [],
}: Pick<Update<Fields>, 'set' | 'setIfAbsent' | 'add' | 'unset'>): Map<string, Effect> => {
  const effects = new Map<string, Effect>()
  for (const [field, value] of Object.entries(set)) if (value !== undefined) effects.set(field, { value })
  for (const [field, value] of Object.entries(setIfAbsent))
    if (value !== undefined) effects.set(field, { value, ifAbsent: true })
  for (const [field, step] of Object.entries(add)) {
    if (step === undefined) continue
    const before = effects.get(field)
    const isSet = typeof before === 'object' && 'value' in before
    effects.set(field, isSet ? { value: sum(before.value, step, field) } : { step: checkStep(step, field) })
  }
  for (const field of unset) effects.set(field, 'remove')
  return effects
}

export const insertRequest = (plan: Plan, row: Fields, { token, now, log }: Stamp): Request => {
  const terms = createTerms()
  const ConditionExpression = isAbsent(plan, terms, now)
  // Without expiry, a record without an old image is an insert.
  const born = plan.streamed && plan.expires !== undefined ? token : undefined
  return {
    Put: {
      TableName: plan.table,
      Item: toItem(plan, row, { token, log, born }),
      ConditionExpression,
      ...terms.attributes(),
      ...ANSWER,
    },
  }
}

/** Undefined for a removal that depends on stored values. */
export const removeRequest = (
  plan: Plan,
  { key, when }: Pick<Remove<Fields>, 'key' | 'when'>,
  { token, now }: Stamp,
): Request | undefined => {
  if (isAnyFixed(plan, Object.keys(when ?? {}))) return undefined
  const terms = createTerms()
  return {
    Delete: {
      TableName: plan.table,
      Key: keyItem(plan, key),
      ConditionExpression: isThere(plan, terms, when, { token, now, entry: undefined }),
      ...terms.attributes(),
      ...ANSWER,
    },
  }
}

/** Refuses changes of a key. */
const refuseNewKey = (plan: Plan, effects: Map<string, Effect>, own: Fields): void => {
  for (const field of plan.keys) {
    const effect = effects.get(field)
    if (effect === undefined) continue
    if (effect === 'remove' || 'step' in effect || effect.value !== own[field])
      throw new TypeError(`${field} of ${plan.name} cannot change: it is a key`)
    effects.delete(field)
  }
}

/** Whether an effect on a field with a derived attribute depends on stored values. */
const isBlind = ({ derived }: Plan, effects: ReadonlyMap<string, Effect>): boolean =>
  [...effects].some(
    ([field, effect]) => effect !== 'remove' && ('step' in effect || effect.ifAbsent) && derived.has(field),
  )

const writeEffect = (update: UpdateParts, field: string, effect: Effect): void => {
  if (effect === 'remove') update.put(field, undefined)
  else if ('step' in effect) update.add(field, effect.step)
  else if (effect.ifAbsent && encode(effect.value) !== undefined)
    update.putIfAbsent(field, encode(effect.value))
  else update.put(field, encode(effect.value))
}

/** Adds the effects on fields and their derived attributes to an update. */
const writeEffects = (
  plan: Plan,
  key: Key,
  update: UpdateParts,
  effects: ReadonlyMap<string, Effect>,
): void => {
  for (const [field, effect] of effects) writeEffect(update, ownName(field), effect)
  for (const { field, name, from } of derivations(plan, key)) {
    const effect = field === undefined ? undefined : effects.get(field)
    if (effect === 'remove') update.put(name, undefined)
    else if (effect !== undefined && 'value' in effect) update.put(name, from(effect.value))
  }
}

/** An update as one native write; undefined when it depends on stored values. Throws TypeError for a new key. */
export const updateRequest = (
  plan: Plan,
  write: Omit<Update<Fields>, 'update'>,
  { token, now, log }: Stamp,
): Request | undefined => {
  const { key, when } = write
  const effects = fieldEffects(write)
  refuseNewKey(plan, effects, keyItem(plan, key))
  const named = [...effects.keys(), ...Object.keys(when ?? {})]
  if (isBlind(plan, effects) || isAnyFixed(plan, named)) return undefined
  const terms = createTerms()
  const update = createUpdate(terms)
  update.put(TOKEN, token)
  update.append(LOG, log)
  writeEffects(plan, key, update, effects)
  return {
    Update: {
      TableName: plan.table,
      Key: keyItem(plan, key),
      UpdateExpression: update.text(),
      ConditionExpression: isThere(plan, terms, when, { token, now, entry: log[0] }),
      ...terms.attributes(),
      ...ANSWER,
    },
  }
}

/** The replacement of a row that was read, on condition that it is unchanged: undefined stands for a removal. */
export const replaceRequest = (
  plan: Plan,
  key: Key,
  seen: Metadata,
  after: Fields | undefined,
  { token, log }: Stamp,
): Request => {
  const terms = createTerms()
  const common = {
    TableName: plan.table,
    ConditionExpression: `${terms.name(TOKEN)} = ${terms.value(seen.token)}`,
    ...terms.attributes(),
    ...ANSWER,
  }
  return after === undefined
    ? { Delete: { ...common, Key: keyItem(plan, key) } }
    : {
        Put: { ...common, Item: toItem(plan, after, { token, log: [...seen.log, ...log], born: seen.born }) },
      }
}
