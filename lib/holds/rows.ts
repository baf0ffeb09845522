import { collection } from '../core/collection.ts'

/** A provider whose usage limit was reached. `probe` is the task that tries it after `until`. */
export type StoredHold = {
  id: string
  provider: string
  reason: string
  until: string
  probe?: { taskId: string; at: string }
}

/** All holds: one row, which each claim of a task knows. `version` grows with each change. */
export type HoldsRow = { id: string; version: number; holds: readonly StoredHold[] }

export const HOLDS_ID = 'holds'

export const holdsRows = collection<HoldsRow>({ name: 'holds', key: 'id', indexes: {} })
