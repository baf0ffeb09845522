import type { Config } from '../config.ts'
import { webhookCreator } from '../core/principal.ts'
import { reportWritesOf } from '../reporting/rows.ts'
import { isFinal, TASK_STATUSES } from '../tasks/machine.ts'
import { tasks as taskRows } from '../tasks/rows.ts'
import type { WebhookTasks } from '../webhooks/needs.ts'
import { createInbound } from '../webhooks/service.ts'
import type { AuthContext, AuthPorts } from './auth-context.ts'
import type { Work } from './work.ts'

const UNFINISHED = TASK_STATUSES.filter((status) => !isFinal(status))
/** The tasks read per status that name the issue, of which there are few. */
const LOOKED_AT = 50

/** Reads the unfinished tasks alone, and is called only where the task that the issue was known by has ended. */
const unfinishedLike =
  ({ find }: Pick<Work['tasks'], 'find'>, { store }: Pick<AuthPorts, 'store'>) =>
  async (id: string): ReturnType<WebhookTasks['unfinishedLike']> => {
    const { source, sourceId } = (await find(id)) ?? {}
    if (source === undefined || sourceId === undefined) return undefined
    const where = [
      { field: 'source', in: [source] },
      { field: 'sourceId', in: [sourceId] },
    ] as const
    const selection = { index: 'byStatus', where, order: 'desc', limit: LOOKED_AT } as const
    const pages = await Promise.all(UNFINISHED.map((is) => store.page(taskRows, { ...selection, is })))
    const rows = pages.flatMap((page) => page.rows)
    // A task that was created by hand may name any source: it is no task of the issue, and not to be shown to its sender.
    const row = rows.find(
      ({ retriedFrom, createdBy }) => retriedFrom !== undefined || createdBy === webhookCreator(source),
    )
    return row && find(row.id)
  }

/** Events from elsewhere, which become tasks. */
export const joinWebhooks = (
  { tasks, settings }: Pick<Work, 'tasks'> & Pick<AuthContext, 'settings'>,
  ports: AuthPorts,
  config: Config,
) =>
  createInbound({
    ...ports,
    tasks: { ...tasks, unfinishedLike: unfinishedLike(tasks, ports) },
    reportWritesOf,
    cancelsClosed: () => settings.current().webhooks.cancelClosed,
    labels: { task: config.AI_TASK_LABEL, review: config.AI_REVIEW_LABEL },
    secrets: config.inbound,
  })
