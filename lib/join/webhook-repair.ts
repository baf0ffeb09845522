import { createRepair } from '../webhooks/repair.ts'
import type { EntryPorts } from './entry.ts'
import { webhookTasks } from './webhook-tasks.ts'
import type { Work } from './work.ts'

/** Of the events from elsewhere, what a process needs that takes none itself. */
export const joinWebhookRepair = (work: Pick<Work, 'tasks'>, ports: EntryPorts) =>
  createRepair({ ...ports, tasks: webhookTasks(work, ports) })
