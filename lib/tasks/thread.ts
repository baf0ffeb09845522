import { addCost, type Cost } from '../core/cost.ts'
import { existing } from '../core/errors.ts'
import { rowPages } from '../core/page.ts'
import type { Store, Update } from '../ports/store.ts'
import { isFinal } from './machine.ts'
import { tasks, threadTurns, type WaitingMessage, waitingMessages } from './rows.ts'
import { publicTask, type Task, type TaskRow, toThreadId } from './schema.ts'

const PAGE = 200
/** Turns are read this many at once. */
const READ_AT_ONCE = 50

/** Reads threads, and makes the write that keeps the turns of one in a line. */
export const createThreads = ({ store }: { store: Store }) => {
  /** The ids of a thread's tasks, in order. */
  const turnIds = async (threadId: string): Promise<string[]> => {
    const ids = [threadId]
    const query = { index: 'ofThread', is: threadId, order: 'asc', limit: PAGE } as const
    for await (const rows of rowPages((from) => store.page(threadTurns, { ...query, ...from })))
      ids.push(...rows.map(({ taskId }) => taskId))
    return ids
  }

  /** The last turn of a task's thread, with its detail. */
  const latestTurn = async (task: Pick<TaskRow, 'id' | 'threadId'>): Promise<TaskRow> => {
    const query = { index: 'ofThread', is: toThreadId(task), order: 'desc', limit: 1 } as const
    const { rows } = await store.page(threadTurns, query)
    let latest = existing(await store.get(tasks, rows[0]?.taskId ?? task.id, true), 'Task')
    // Another request may have added one since.
    while (latest.nextTurnId !== undefined) {
      const next = await store.get(tasks, latest.nextTurnId, true)
      if (next === undefined) break
      latest = next
    }
    return latest
  }

  /** The messages that wait for the end of the running turn, oldest first. */
  const waiting = async (threadId: string): Promise<readonly Readonly<WaitingMessage>[]> => {
    const query = { index: 'ofThread', is: threadId, order: 'asc', limit: PAGE, detail: true } as const
    return (await store.page(waitingMessages, query)).rows
  }

  /**
   * The thread of a task: its turns as summaries, oldest first, the messages that wait, and the state of its last turn.
   * Throws Problem `missing` `thread_not_found`.
   */
  const readThread = async (taskId: string) => {
    const id = toThreadId(existing(await store.get(tasks, taskId), 'Thread'))
    const [ids, messages] = await Promise.all([turnIds(id), waiting(id)])
    const turns: Task[] = []
    for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
      const rows = await Promise.all(ids.slice(at, at + READ_AT_ONCE).map((each) => store.get(tasks, each)))
      turns.push(...rows.flatMap((row) => (row === undefined ? [] : [publicTask(row)])))
    }
    const { status } = existing(turns.at(-1), 'Thread')
    return { id, status, cost: threadCost(turns), tasks: turns, messages: messages.map(toQueuedMessage) }
  }

  /** The messages that wait for the end of a task of the thread, oldest first; none for a task that does not exist. */
  const messagesWaitingFor = async (taskId: string) => {
    const task = await store.get(tasks, taskId)
    return task?.watched && !isFinal(task.status)
      ? (await waiting(toThreadId(task))).map(toQueuedMessage)
      : []
  }

  return { turnIds, latestTurn, waiting, messagesWaitingFor, readThread }
}

export const toQueuedMessage = ({ id, taskId, content, createdAt }: Readonly<WaitingMessage>) => ({
  id,
  taskId,
  content,
  createdAt,
  state: 'queued' as const,
})

/** A write of a turn that applies while it is the last one, in the state that was read. */
export const whileLast = (
  { id, status }: Pick<TaskRow, 'id' | 'status'>,
  set: Partial<TaskRow>,
): Update<TaskRow> => ({ update: tasks, key: id, when: { status, nextTurnId: null }, set })

const threadCost = (turns: readonly Pick<TaskRow, 'cost'>[]): Cost | null =>
  turns.map(({ cost }) => cost).reduce(addCost, undefined) ?? null
