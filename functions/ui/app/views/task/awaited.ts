import type { Task } from '../../../../../lib/tasks/schema.ts'

/** What a task waits for, after `waiting for`. */
export const awaited = {
  approval: 'approval',
  hold: 'its provider',
  budget: 'the budget',
} as const satisfies Record<NonNullable<Task['waitingFor']>, string>
