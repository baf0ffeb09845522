import type { TaskStatus, TaskVerb } from '../../lib/tasks/machine.ts'

/** The lifecycle, spelled out once more on purpose: the code's own table is what is under test. */
export const ALLOWED: readonly [from: TaskStatus, verb: TaskVerb, to: TaskStatus, event: string][] = [
  ['pending', 'enqueue', 'queued', 'queued'],
  ['pending', 'cancel', 'cancelled', 'cancelled'],
  ['queued', 'start', 'in_progress', 'started'],
  ['queued', 'wait', 'queued', 'progress'],
  ['queued', 'proceed', 'queued', 'progress'],
  ['queued', 'cancel', 'cancelled', 'cancelled'],
  ['queued', 'undeliverable', 'failed', 'failed'],
  ['in_progress', 'succeed', 'completed', 'completed'],
  ['in_progress', 'retry', 'queued', 'retrying'],
  ['in_progress', 'defer', 'pending', 'retrying'],
  ['in_progress', 'recover', 'queued', 'recovered'],
  ['in_progress', 'release', 'queued', 'recovered'],
  ['in_progress', 'suspend', 'in_progress', 'progress'],
  ['in_progress', 'resume', 'in_progress', 'progress'],
  ['in_progress', 'fail', 'failed', 'failed'],
  ['in_progress', 'cancel', 'cancelled', 'cancelled'],
  ['failed', 'redrive', 'queued', 'retried'],
]
