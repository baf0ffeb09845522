import { collection, countRows } from '../core/collection.ts'
import { type AuditRecord, AuditRecordSchema } from './schema.ts'

/** How many records there are. */
export const AUDIT_COUNTERS = { counter: 'audit', member: 'all' } as const

/** Kept for as long as most rules for such logs ask. */
export type AuditRow = AuditRecord & { expiresAt: number }

export const auditRows = collection<AuditRow>({
  name: 'audit',
  key: 'id',
  indexes: { newest: { by: 'timestamp' } },
  summary: AuditRecordSchema.keyof().options,
  expires: 'expiresAt',
  counts: countRows(() => [AUDIT_COUNTERS]),
  recount: { index: 'newest', counter: AUDIT_COUNTERS.counter },
})
