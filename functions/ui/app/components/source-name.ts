import type { Task } from '../../../../lib/tasks/schema.ts'
import { providerTitle } from '../data/providers.ts'

/** Where a task came from, by the name that people know. */
export const sourceName = (source: Task['source']): string => {
  if (source === 'api') return 'API'
  return source === 'cron' ? 'Schedule' : providerTitle(source)
}
