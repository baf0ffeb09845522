import { collection, countRows } from '../core/collection.ts'
import type { CreateTask } from '../tasks/schema.ts'
import type { HEAVY, Schedule } from './schema.ts'

type HeavyTask = Pick<CreateTask, keyof typeof HEAVY>

/** `nextRunAt`, set while it is enabled, is the condition of every run. `revision` grows with other changes. */
export type ScheduleRow = Omit<Schedule, 'task'> & {
  task: Omit<CreateTask, keyof HeavyTask>
  heavyTask: HeavyTask
  revision: number
}

export const SCHEDULE_COUNTER = 'schedules'

export const schedules = collection<ScheduleRow, 'heavyTask'>({
  name: 'schedules',
  key: 'id',
  indexes: { newest: { by: 'createdAt' }, due: { by: 'nextRunAt' } },
  detail: ['heavyTask'],
  placeholders: { heavyTask: {} },
  summary: [
    ...([
      'id',
      'name',
      'cron',
      'timezone',
      'enabled',
      'task',
      'nextRunAt',
      'lastRunAt',
      'lastTaskId',
    ] as const),
    ...(['lastError', 'createdAt', 'updatedAt', 'createdBy', 'revision'] as const),
  ],
  counts: countRows(() => [SCHEDULE_COUNTER]),
  recount: { index: 'newest', counter: SCHEDULE_COUNTER },
})
