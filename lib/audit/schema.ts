import * as z from 'zod'

/** A change of the installation itself, and the user who made it. */
export const AuditRecordSchema = z.object({
  id: z.string(),
  timestamp: z.string(),
  userId: z.string(),
  /** The action as `<subject>.<verb>`: `settings.change`, `token.create`. */
  action: z.string(),
  /** The object of the action and its values; no secrets. */
  details: z.record(z.string(), z.unknown()),
})
export type AuditRecord = z.output<typeof AuditRecordSchema>
