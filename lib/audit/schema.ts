import * as z from 'zod'

/** Something that was done to the installation itself, and by whom. */
export const AuditRecordSchema = z.object({
  id: z.string(),
  timestamp: z.string(),
  userId: z.string(),
  /** What was done, as `<what>.<verb>`: `settings.change`, `token.create`. */
  action: z.string(),
  /** What it was done to and how; no secrets. */
  details: z.record(z.string(), z.unknown()),
})
export type AuditRecord = z.output<typeof AuditRecordSchema>
