import { hash } from 'node:crypto'
import { type Change, collection, type LiveDraft } from '../core/collection.ts'
import type { Runner } from './schema.ts'

/**
 * A registered runner. `registration` grows each time it registers; `takesNone` is set while it drains,
 * `removedAt` since an admin removed it whose token other runners have too. Where processes are
 * many, `polls` counts its polls, `latest` is its own number of the last one, and `answered` is the latest claim with the number of the poll that answered it.
 */
export type RunnerRow = Omit<Runner, 'status' | 'drained'> & {
  tokenId: string
  registration: number
  takesNone?: true
  removedAt?: string
  polls?: number
  latest?: { registration: number; number: number }
  answered?: { taskId: string; fence: number; poll: number }
}

/** A runner is written every few seconds while it lives; readers are told of what is rare. */
const runnerEvents = ({ before, after }: Change<RunnerRow>): LiveDraft[] => {
  const row = after ?? before
  if (row === undefined) return []
  const isSame =
    before?.registration === after?.registration &&
    before?.takesNone === after?.takesNone &&
    before?.removedAt === after?.removedAt
  if (before && after && isSame) return []
  const { id, name } = row
  return [{ type: `runner.${before ? (after ? 'updated' : 'removed') : 'created'}`, data: { id, name } }]
}

export const runners = collection<RunnerRow>({
  name: 'runners',
  key: 'id',
  indexes: { newest: { by: 'registeredAt' } },
  publishes: runnerEvents,
})

/** The id of a runner follows from its name, which therefore only one runner can have. */
export const runnerId = (name: string): string =>
  `rnr_${hash('sha256', name, 'hex').slice(0, 26).toUpperCase()}`
