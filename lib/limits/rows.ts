import { collection } from '../core/collection.ts'
import type { Moments } from './window.ts'

/** When calls of one key passed. Once the last is as old as the window, `expiresAt` in epoch milliseconds, none counts. */
export type CallsRow = { id: string; version: number; moments: Moments; expiresAt: number }

export const callsRows = collection<CallsRow>({
  name: 'limits',
  key: 'id',
  indexes: {},
  expires: 'expiresAt',
})
