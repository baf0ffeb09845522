import * as z from 'zod'

/** How the end of a task is reported at its source: `pending` also between tries, the last failure is in `error`. */
export const TaskReportSchema = z
  .object({
    provider: z.enum(['codehost', 'trackera', 'trackerb']),
    status: z.enum(['pending', 'reported', 'failed']),
    url: z.string().optional(),
    reportedAt: z.iso.datetime().optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'TaskReport', description: 'The comment about the end of the task at its source' })
export type TaskReport = z.output<typeof TaskReportSchema>

/** The report of a task; undefined where there is none, and where nothing is to be reported yet. */
export type ReportOf = (taskId: string) => Promise<TaskReport | undefined>
