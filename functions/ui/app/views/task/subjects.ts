import type { Task } from '../../../../../lib/tasks/schema.ts'
import { useAttempts } from '../../data/attempts.ts'
import { toThreadId, useThread } from '../../data/threads.ts'
import { attemptNames } from './attempt-name.ts'
import type { NamedSubject } from './compared-pair.ts'

/**
 * What can be compared on the page of a task, in the order in which it ran: the turns of its thread, the task that it runs again and the
 * one that runs it again, and its attempts.
 */
export const useSubjects = (task: Task): readonly NamedSubject[] => {
  const attempts = useAttempts(task)
  const { data: thread } = useThread(toThreadId(task))
  const turns = thread?.tasks ?? []
  const names = attemptNames(attempts)
  const own: NamedSubject[] =
    attempts.length > 1
      ? attempts.map(({ id }) => ({ id, taskId: task.id, attemptId: id, name: names.get(id) ?? id }))
      : turns.length > 1
        ? []
        : [{ id: task.id, taskId: task.id, name: 'This task' }]
  const others: NamedSubject[] =
    turns.length > 1 ? turns.map(({ id }, at) => ({ id, taskId: id, name: `Turn ${at + 1}` })) : []
  const again = (id: string | undefined, name: string): NamedSubject[] =>
    id === undefined || turns.some((turn) => turn.id === id) ? [] : [{ id, taskId: id, name }]
  return [
    ...again(task.retriedFrom, 'The task that was retried'),
    ...others,
    ...own,
    ...again(task.retriedBy, 'The retry'),
  ]
}
