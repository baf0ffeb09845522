import * as z from 'zod'

/** The notice by which a job goes on from an item. */
export const BulkNoticeSchema = z.object({
  kind: z.literal('bulk'),
  jobId: z.string().min(1).max(200),
  from: z.int().min(0),
})
export type BulkNotice = z.output<typeof BulkNoticeSchema>
