import * as z from 'zod'

/** A change of the installation itself, and the user who made it. */
export const AuditRecordSchema = z.object({
  id: z.string(),
  timestamp: z.string(),
  userId: z.string(),
  action: z.string().meta({ description: '`<subject>.<verb>`', examples: ['settings.change'] }),
  details: z.record(z.string(), z.unknown()).describe('What was changed, and how; no secrets'),
})
export type AuditRecord = z.output<typeof AuditRecordSchema>
