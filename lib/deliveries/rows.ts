import { collection } from '../core/collection.ts'
import type { DeliveryRow } from './schema.ts'

export const deliveryRows = collection<DeliveryRow>({
  name: 'deliveries',
  key: 'id',
  indexes: {
    due: { by: 'dueAt' },
    ofOwner: { within: 'owner', by: 'createdAt' },
    stopped: { within: 'owner', by: 'stopped' },
  },
  detail: ['body', 'secret', 'about', 'once', 'attempts', 'attemptsOmitted'],
  placeholders: { body: '{}', attempts: [] },
  summary: ['owner', 'event', 'url', 'status', 'dueAt', 'tries', 'stopped', 'createdAt', 'expiresAt'],
  expires: 'expiresAt',
})

export const HELD = 'held'
export const FAILED = 'failed'
type Stop = typeof HELD | typeof FAILED

/** The value of `stopped`: reason and time, so that one small index has both kinds, each in the order of time. */
export const stoppedAs = (why: Stop, at: string): string => `${why} ${at}`

/** The range of `stopped` for a reason and a period of ISO times. */
export const stoppedRange = (why: Stop, { from = '', to = '~' }: { from?: string; to?: string } = {}) => ({
  field: 'stopped' as const,
  from: stoppedAs(why, from),
  to: stoppedAs(why, to),
})
