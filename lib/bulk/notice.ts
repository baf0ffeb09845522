import * as z from 'zod'
import { TraceSchema } from '../tasks/schema.ts'

/** The notice that continues a job from an item, with the trace of the job's request. */
export const BulkNoticeSchema = z.object({
  kind: z.literal('bulk'),
  jobId: z.string().min(1).max(200),
  from: z.int().min(0),
  trace: TraceSchema,
})
export type BulkNotice = z.output<typeof BulkNoticeSchema>
