import type { TaskStatus } from '../../lib/tasks/machine.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import type { TaskRow } from '../../lib/tasks/schema.ts'
import type { StartedDomains } from '../fakes/service.ts'

/** A stored task in the middle of its life. */
export const sampleRow = (more: Partial<TaskRow> = {}): TaskRow => ({
  id: 'task_sample',
  title: 'Sample',
  priority: 3,
  status: 'queued',
  source: 'api',
  labels: [],
  agent: 'test-agent',
  attempts: 0,
  maxAttempts: 3,
  createdAt: '2026-01-01T11:00:00.000Z',
  updatedAt: '2026-01-01T11:00:00.000Z',
  createdBy: 'user_ann',
  fence: 0,
  ...more,
})

/** Puts a task straight into storage. */
export const store = async (domains: StartedDomains, row: TaskRow): Promise<TaskRow> => {
  await domains.store.commit<TaskRow>({ insert: tasks, row })
  return row
}

/** Puts a task that is in a given state straight into storage. */
export const storeIn = (domains: StartedDomains, status: TaskStatus, more: Partial<TaskRow> = {}) =>
  store(domains, sampleRow({ status, ...more }))
