import { isFinal } from '../../../../lib/tasks/machine.ts'
import type { Task } from '../../../../lib/tasks/schema.ts'
import { useChange } from './change.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'
import { queryClient } from './query-client.ts'
import { isStreaming, THREADS, WORK } from './streaming.ts'

export type Thread = Awaited<ReturnType<typeof client.getThread>>['thread']

/** The service states it of every task. */
export const toThreadId = ({ id, threadId = id }: Pick<Task, 'id' | 'threadId'>): string => threadId

/** Turns, oldest first, and the messages that wait. */
export const useThread = (threadId: string) =>
  useLive(
    [THREADS, threadId],
    async (signal) => (await client.getThread({ params: { id: threadId } }, { signal })).thread,
    (thread) => {
      const isOver = thread !== undefined && isFinal(thread.status)
      if (!isStreaming.get()) return isOver ? EVERY_MS.calm : EVERY_MS.running
      return isOver ? false : EVERY_MS.calm
    },
  )

type Reply = { taskId: string; content: string; key: string }

/** The same text and key make one turn. */
export const useReply = () =>
  useChange(
    async ({ taskId, content, key }: Reply) => {
      const sent = { params: { id: taskId }, body: { content } }
      const answer = await client.replyToTask(sent, { headers: { 'idempotency-key': key } })
      if (answer.task) queryClient.setQueryData(['tasks', 'one', answer.task.id], answer.task)
      return answer
    },
    ...WORK,
  )
