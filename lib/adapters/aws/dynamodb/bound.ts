import type { Key, Write } from '../../../ports/store.ts'
import { keyOf } from './item.ts'
import type { Plan } from './plan.ts'
import type { Fields } from './value.ts'

/** A write of a row and where it goes. */
export type Bound<W = Write<Fields>> = { plan: Plan; key: Key; write: W }

/** Throws TypeError for an insert without a key that DynamoDB takes. */
export const bind = (planOf: (of: { name: string }) => Plan, write: Write<Fields>): Bound => {
  if ('insert' in write) {
    const plan = planOf(write.insert)
    return { plan, key: keyOf(plan, write.row), write }
  }
  return { plan: planOf('update' in write ? write.update : write.remove), key: write.key, write }
}
