import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { type Collection, collection } from '../../../lib/core/collection.ts'
import { createFakeClock } from '../../fakes/clock.ts'

export type Job = { id: string; state: string; at: string; rank?: number; body?: string; until?: number }
const ofAll = (count: number) => [{ counter: 'jobs', member: 'all', add: { count } }]
/** They are counted; one whose rank is no number that can be added cannot be. */
export const jobs = collection<Job, 'body'>({
  name: 'jobs',
  key: 'id',
  detail: ['body'],
  expires: 'until',
  indexes: { newest: { by: 'at' }, byState: { within: 'state', by: 'at' } },
  counts: ({ before, after }) => {
    if (after?.rank === UNCOUNTABLE) return ofAll(Number.NaN)
    if (!before === !after) return []
    return ofAll(after ? 1 : -1)
  },
})
export const UNCOUNTABLE = 0.123
export const job = (n: number, more: Partial<Job> = {}): Job => ({
  id: `j${n}`,
  state: 'open',
  at: String(n).padStart(6, '0'),
  ...more,
})

export type Line = { owner: string; id: string; text: string }
/** Rows that lie with their owner. */
export const lines = collection<Line>({
  name: 'lines',
  within: 'owner',
  key: 'id',
  indexes: { ofOwner: { within: 'owner', by: 'id' } },
})

/** Adapters look at the declarations only; TypeScript will not have a `Collection<Job>` be a `Collection`. */
export const declared = (...collections: unknown[]) => collections as readonly Collection[]

export const openJobs = (file: string, clock = createFakeClock()) =>
  openSqliteStore({ file, clock, collections: declared(jobs) })

/** A folder that is gone when `use` has ended. */
export const inFolder = async (use: (folder: string) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-'))
  try {
    await use(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** As `inFolder`, with the name of a file in it. */
export const inFile = (use: (file: string) => Promise<void>) =>
  inFolder((folder) => use(join(folder, 'store.db')))
