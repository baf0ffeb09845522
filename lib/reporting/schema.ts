import * as z from 'zod'

/** The report of a task's end at its source. It is `pending` also between tries; `error` has the latest failure. */
export const TaskReportSchema = z
  .object({
    provider: z.enum(['codehost', 'trackera', 'trackerb']),
    status: z.enum(['pending', 'reported', 'failed']),
    url: z.string().optional(),
    reportedAt: z.iso.datetime().optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'TaskReport', description: 'Comment that reports the outcome at the source of the task' })
export type TaskReport = z.output<typeof TaskReportSchema>

/** The report of a task; undefined for a task without one, and before its first reported end. */
export type FindReport = (taskId: string) => Promise<TaskReport | undefined>
