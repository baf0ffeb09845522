import { createLimitedCount } from '../limits/limited-count.ts'
import { SCHEDULES } from '../schedules/rows.ts'
import { createSchedules, MOST_SCHEDULES, tooManySchedules } from '../schedules/service.ts'
import type { TaskCreation } from '../tasks/create.ts'
import type { AuthContext, AuthPorts } from './auth.ts'

export const composeSchedules = (
  {
    audit,
    tasks,
  }: Pick<AuthContext, 'audit'> & {
    tasks: Pick<TaskCreation, 'draft' | 'checkAgent' | 'checkRepository'>
  },
  ports: AuthPorts,
) => {
  const limit = createLimitedCount({
    ...ports,
    id: SCHEDULES.counter,
    most: MOST_SCHEDULES,
    tooMany: tooManySchedules,
  })
  return createSchedules({ ...ports, tasks, limit, audit: audit.record })
}
