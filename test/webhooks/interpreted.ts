import { expect } from '@jest/globals'
import { CreateTaskSchema } from '../../lib/tasks/schema.ts'
import { interpret } from '../../lib/webhooks/ask.ts'
import { catalog } from '../../lib/webhooks/receive.ts'
import type { Sender } from '../../lib/webhooks/schema.ts'
import { webhookTask } from '../../lib/webhooks/webhook-task.ts'

export const LABELS = { task: 'ai-task', review: 'ai-review' }
/** The id of the task that is to be made, which nobody outside knows. */
export const MARK = 'task_00000000000000000000000007'

type Made = { issue?: string; withdrawn?: unknown; task?: Record<string, unknown>; message?: string }

/** What is made of an event: a task as the schema of tasks has them, what is taken back, or a reason why there is none. */
export const interpretEvent = (sender: Sender, payload: unknown, header?: string, labels = LABELS): Made => {
  const { event, verdict } = interpret(catalog[sender], payload, header, labels)
  if (typeof verdict === 'string') return { message: verdict }
  if (!('kind' in verdict)) return verdict
  const task = webhookTask(sender, event, verdict, MARK)
  expect(CreateTaskSchema.parse(task)).toEqual(task)
  return { task }
}
