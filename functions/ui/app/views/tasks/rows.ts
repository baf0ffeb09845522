import type { Task } from '../../../../../lib/tasks/schema.ts'
import type { Match } from '../../components/found-in.tsx'
import { useLivePages } from '../../data/live-pages.ts'
import { askForTasks, type Filters, tasksKey } from '../../data/tasks.ts'

/** With the place where a search found it. */
export type TaskRow = Task & { match?: Match | undefined }

export const useTaskRows = (filters: Filters) =>
  useLivePages([...tasksKey, 'pages', filters], askForTasks(filters), ({ tasks }) => tasks, true)
