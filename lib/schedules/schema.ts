import * as z from 'zod'
import { shownText } from '../core/shown-text.ts'
import { TimezoneSchema } from '../core/timezone.ts'
import { TruncatedSchema } from '../core/truncated.ts'
import { CreateTaskSchema, NewTaskSchema, TaskErrorSchema, TaskSchema } from '../tasks/schema.ts'
import { cronFault } from './cron.ts'

/** Five fields as of cron(5), or a nickname such as `@daily`, which runs at least once. */
const CronSchema = z
  .string()
  .min(1)
  .max(200)
  .superRefine((cron, { addIssue }) => {
    const fault = cronFault(cron)
    if (fault !== undefined) addIssue({ code: 'custom', message: fault })
  })
  .meta({
    description:
      'Cron pattern: minute, hour, day of month, month, day of week; or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`',
    examples: ['0 7 * * 1-5'],
  })

const name = shownText(100).meta({ examples: ['Nightly check'] })

export const CreateScheduleSchema = z.object({
  name,
  cron: CronSchema,
  timezone: TimezoneSchema.default('UTC'),
  enabled: z.boolean().default(true),
  task: NewTaskSchema,
})
export type CreateSchedule = z.output<typeof CreateScheduleSchema>

export const PreviewQuery = z.object({ cron: CronSchema, timezone: TimezoneSchema.default('UTC') })
export type Preview = z.output<typeof PreviewQuery>

export const ChangeScheduleSchema = z
  .object({
    name: name.exactOptional(),
    cron: CronSchema.exactOptional(),
    timezone: TimezoneSchema.exactOptional(),
    enabled: z.boolean().exactOptional(),
    task: NewTaskSchema.exactOptional(),
  })
  .meta({ examples: [{ enabled: false }] })
export type ChangeSchedule = z.output<typeof ChangeScheduleSchema>

export const ScheduleSchema = z
  .object({
    id: z.string(),
    name: z.string().meta({ examples: ['Nightly check'] }),
    cron: z.string().meta({ examples: ['0 7 * * 1-5'] }),
    timezone: z.string().meta({ examples: ['Europe/Vienna'] }),
    enabled: z.boolean(),
    task: CreateTaskSchema,
    nextRunAt: z.iso
      .datetime()
      .optional()
      .describe('Time of the next run; absent while the schedule is paused'),
    lastRunAt: z.iso.datetime().optional().describe('Last due time'),
    lastTaskId: z.string().optional().describe('Task created at `lastRunAt`'),
    lastError: TaskErrorSchema.optional().describe('Why the last run created no task'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    createdBy: z.string(),
    runsAs: z.string().describe('User who last set the task; scheduled tasks are created as this user'),
    truncated: TruncatedSchema,
  })
  .meta({ id: 'Schedule' })
export type Schedule = z.output<typeof ScheduleSchema>

/** The heavy fields of a task, which lists of schedules leave out. */
export const HEAVY = { description: true, prompt: true, metadata: true } as const

/** A schedule in a list: only fields of the list's index. */
export const ListedScheduleSchema = ScheduleSchema.omit({ runsAs: true, truncated: true }).extend({
  task: CreateTaskSchema.omit(HEAVY),
  lastTask: TaskSchema.pick({ status: true, waitingFor: true })
    .optional()
    .describe('The state of `lastTaskId`; absent where that task is gone'),
})
