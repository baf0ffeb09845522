import { createLimitedCount } from '../limits/limited-count.ts'
import { SCHEDULES } from '../schedules/rows.ts'
import { createSchedules, MOST_SCHEDULES, tooManySchedules } from '../schedules/service.ts'
import type { TaskCreation } from '../tasks/create.ts'
import type { AuthContext, AuthPorts } from './auth.ts'

export const composeSchedules = (
  { audit, tasks }: Pick<AuthContext, 'audit'> & { tasks: Omit<TaskCreation, 'create' | 'createOnce'> },
  ports: AuthPorts,
) => {
  const most = { id: SCHEDULES.counter, most: MOST_SCHEDULES, tooMany: tooManySchedules }
  const limit = createLimitedCount({ ...ports, ...most })
  return createSchedules({ ...ports, tasks, limit, audit: audit.record })
}
