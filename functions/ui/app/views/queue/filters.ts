import type { DeadLetterFilter } from '../../data/dead-letters.ts'

export type QueueSearch = { status?: DeadLetterFilter | undefined; item?: string; fingerprint?: string }

export const filters: Readonly<Record<DeadLetterFilter, string>> = {
  pending: 'Pending',
  resolved: 'Resolved',
  discarded: 'Discarded',
  all: 'All',
}

export const filterNames = Object.keys(filters) as DeadLetterFilter[]

export const isFilter = (value: unknown): value is DeadLetterFilter =>
  typeof value === 'string' && Object.hasOwn(filters, value)
