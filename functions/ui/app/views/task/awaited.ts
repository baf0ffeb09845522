import type { Task } from '../../../../../lib/tasks/schema.ts'

/** What a task waits for, after `waiting for`. */
export const awaited = {
  approval: 'approval',
  hold: 'its provider',
  budget: 'the budget',
  slot: 'a slot',
  runner: 'a runner',
  schedule: 'its time',
} as const satisfies Record<NonNullable<Task['waitingFor']>, string>
