import type { Collection } from './core/collection.ts'
import { announcements, notifications, readMarks, reads } from './notifications/rows.ts'
import { deadLetters } from './queue/dead-letters.ts'
import { createReplays, taskEvents, tasks } from './tasks/rows.ts'
import { exits } from './worker/last-exit.ts'

/** Every collection of the service; the storage adapters derive their tables from this list. */
export const collections = [
  tasks,
  taskEvents,
  createReplays,
  deadLetters,
  announcements,
  notifications,
  reads,
  readMarks,
  exits,
  // A storage adapter treats all rows alike; the domains keep their types.
] as unknown as readonly Collection[]
