import * as z from 'zod'

/** A change of the installation itself, and the user who made it. */
export const AuditRecordSchema = z.object({
  id: z.string(),
  timestamp: z.string(),
  userId: z.string(),
  action: z.string().meta({ description: 'Action as `<subject>.<verb>`', examples: ['settings.change'] }),
  details: z.record(z.string(), z.unknown()).describe('Details of the change, without secrets'),
})
export type AuditRecord = z.output<typeof AuditRecordSchema>
