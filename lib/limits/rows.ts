import { collection } from '../core/collection.ts'

/** Calls of one key within a window that ends at `expiresAt`, epoch milliseconds. */
export type CallsRow = { id: string; calls: number; expiresAt: number }

export const callsRows = collection<CallsRow>({
  name: 'limits',
  key: 'id',
  indexes: {},
  expires: 'expiresAt',
})
