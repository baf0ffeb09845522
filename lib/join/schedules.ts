import { createSchedules } from '../schedules/service.ts'
import type { AuthContext, AuthPorts } from './auth-context.ts'
import type { Work } from './work.ts'

/** Schedules, and the tasks that they create. */
export const joinSchedules = (
  { audit, tasks }: Pick<AuthContext, 'audit'> & Pick<Work, 'tasks'>,
  ports: AuthPorts,
) => createSchedules({ ...ports, tasks, audit: audit.record })
