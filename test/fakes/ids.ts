import type { Ids } from '../../lib/ports/ids.ts'

/** Ids that count from 1: `task_00000000000000000000000001`, then whatever kind comes next with 2. */
export const createFakeIds = (): Ids => {
  let made = 0
  return { next: (kind) => `${kind}_${String(++made).padStart(26, '0')}` }
}
