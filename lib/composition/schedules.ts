import { createSchedules } from '../schedules/service.ts'
import type { TaskCreation } from '../tasks/create.ts'
import type { AuthContext, AuthPorts } from './auth.ts'

/** Schedules, and the tasks that they create. */
export const composeSchedules = (
  {
    audit,
    tasks,
  }: Pick<AuthContext, 'audit'> & {
    tasks: Pick<TaskCreation, 'draft' | 'checkAgent' | 'checkRepository'>
  },
  ports: AuthPorts,
) => createSchedules({ ...ports, tasks, audit: audit.record })
