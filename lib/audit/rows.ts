import { collection } from '../core/collection.ts'
import { type AuditRecord, AuditRecordSchema } from './schema.ts'

/** Kept for as long as most rules for such logs ask. */
export type AuditRow = AuditRecord & { expiresAt: number }

export const auditRows = collection<AuditRow>({
  name: 'audit',
  key: 'id',
  indexes: { newest: { by: 'timestamp' } },
  summary: AuditRecordSchema.keyof().options,
  expires: 'expiresAt',
})
