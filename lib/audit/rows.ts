import { collection, countRows } from '../core/collection.ts'
import { type AuditRecord, AuditRecordSchema } from './schema.ts'

export const AUDIT_COUNTER = 'audit'

/** The retention follows the longest that common rules for such logs demand. */
export type AuditRow = AuditRecord & { expiresAt: number }

export const auditRows = collection<AuditRow>({
  name: 'audit',
  key: 'id',
  indexes: { newest: { by: 'timestamp' } },
  summary: AuditRecordSchema.keyof().options,
  expires: 'expiresAt',
  counts: countRows(() => [AUDIT_COUNTER]),
  recount: { index: 'newest', counter: AUDIT_COUNTER },
})
