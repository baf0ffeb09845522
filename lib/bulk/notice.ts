import * as z from 'zod'
import { TraceSchema } from '../tasks/schema.ts'

/** The notice by which a job goes on from an item, with the trace of the request that the job is of. */
export const BulkNoticeSchema = z.object({
  kind: z.literal('bulk'),
  jobId: z.string().min(1).max(200),
  from: z.int().min(0),
  trace: TraceSchema,
})
export type BulkNotice = z.output<typeof BulkNoticeSchema>
