import type { Task } from '../../../../../lib/tasks/schema.ts'
import { useLivePages } from '../../data/live-pages.ts'
import { askForTasks, type Filters, tasksKey } from '../../data/tasks.ts'

export type TaskRow = Task

export const useTaskRows = (filters: Filters) =>
  useLivePages([...tasksKey, 'pages', filters], askForTasks(filters), ({ tasks }) => tasks, true)
