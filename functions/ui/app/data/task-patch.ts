import type { TaskFields } from '../../../../lib/tasks/schema.ts'
import { liveTaskFields } from './at-build.ts'

const LIVE: ReadonlySet<string> = new Set(liveTaskFields)

/** What is known of a task after an event of it, which has its fields as a whole, but for heavy and long ones. */
export const patched = (known: TaskFields, task: TaskFields): TaskFields => ({
  ...(Object.fromEntries(Object.entries(known).filter(([name]) => !LIVE.has(name))) as TaskFields),
  ...task,
})
