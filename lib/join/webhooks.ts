import type { Config } from '../config.ts'
import { createInbound } from '../webhooks/service.ts'
import type { EntryPorts } from './entry.ts'
import { webhookTasks } from './webhook-tasks.ts'
import type { Work } from './work.ts'

/** Events from elsewhere, which become tasks. */
export const joinWebhooks = (work: Pick<Work, 'tasks'>, ports: EntryPorts, config: Config) =>
  createInbound({
    ...ports,
    tasks: webhookTasks(work, ports),
    labels: { task: config.AI_TASK_LABEL, review: config.AI_REVIEW_LABEL },
    secrets: config.inbound,
  })
