import { hash } from 'node:crypto'
import { collection } from '../core/collection.ts'
import type { Runner } from './schema.ts'

/** A registered runner. `registration` grows each time it registers; `takesNone` is set while it drains. */
export type RunnerRow = Omit<Runner, 'status'> & { tokenId: string; registration: number; takesNone?: true }

export const runners = collection<RunnerRow>({
  name: 'runners',
  key: 'id',
  indexes: { newest: { by: 'registeredAt' } },
})

/** The id of a runner follows from its name, which therefore only one runner can have. */
export const runnerId = (name: string): string =>
  `rnr_${hash('sha256', name, 'hex').slice(0, 26).toUpperCase()}`
