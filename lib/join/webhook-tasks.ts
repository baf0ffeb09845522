import { isFinal, TASK_STATUSES } from '../tasks/machine.ts'
import { tasks as taskRows } from '../tasks/rows.ts'
import type { WebhookTasks } from '../webhooks/needs.ts'
import type { EntryPorts } from './entry.ts'
import type { Work } from './work.ts'

const OPEN = TASK_STATUSES.filter((status) => !isFinal(status))
/** So many of each status are looked at that have the name of the issue, which few have. */
const LOOKED_AT = 50

/**
 * The tasks as the webhooks need them. What goes on for an issue is looked for among the open tasks alone, and only where
 * the task that the issue was known by has ended.
 */
export const webhookTasks = (
  { tasks }: Pick<Work, 'tasks'>,
  { store }: Pick<EntryPorts, 'store'>,
): WebhookTasks => {
  const { prepare, find, isOver } = tasks

  const openLike = async (source: string, sourceId: string) => {
    const where = [
      { field: 'source', in: [source] },
      { field: 'sourceId', in: [sourceId] },
    ] as const
    const selection = { index: 'byStatus', where, order: 'desc', limit: LOOKED_AT } as const
    const pages = await Promise.all(OPEN.map((is) => store.page(taskRows, { ...selection, is })))
    return pages.flatMap(({ rows }) => rows)
  }

  const liveLike = async (id: string): Promise<string | undefined> => {
    const { source, sourceId } = (await find(id)) ?? {}
    if (source === undefined || sourceId === undefined) return undefined
    const open = await openLike(source, sourceId)
    // Whoever makes a task by hand may name any source: that is no task of the issue, and nothing to show its sender.
    return open.find((row) => row.retriedFrom !== undefined || row.createdBy === `webhook:${source}`)?.id
  }

  return { prepare, find, isOver, liveLike }
}
