import { useQuery } from '@tanstack/react-query'
import type { Task } from '../../../../lib/tasks/schema.ts'
import { client } from './client.ts'

export type Attempt = Awaited<ReturnType<typeof client.taskAttempts>>['attempts'][number]
export type ReadAttempt = Awaited<ReturnType<typeof client.getAttempt>>['attempt']

/** Refused and interrupted attempts are not counted. */
const isCounted = ({ status }: Attempt) => status !== 'refused' && status !== 'interrupted'

/** The counted attempts of a task, the first one first. They change with its state and their number. */
export const useAttempts = ({ id, status, attempts, startedAt }: Task): readonly Attempt[] => {
  const { data } = useQuery({
    queryKey: ['attempts', id, 'all', status, attempts],
    queryFn: async ({ signal }) =>
      (await client.taskAttempts({ params: { id } }, { signal })).attempts.filter(isCounted),
    enabled: startedAt !== undefined,
    placeholderData: (before, query) => (query?.queryKey[1] === id ? before : undefined),
  })
  return data ?? []
}

const attemptQuery = (id: string, attemptId: string) => ({
  queryKey: ['attempts', id, attemptId],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<ReadAttempt> =>
    (await client.getAttempt({ params: { id, attemptId } }, { signal })).attempt,
})

/** An earlier attempt does not change. */
export const useAttempt = (id: string, attemptId: string) =>
  useQuery({ ...attemptQuery(id, attemptId), staleTime: Number.POSITIVE_INFINITY })

/** What is compared: an attempt of a task, or a task. */
export type Subject = { taskId: string; attemptId?: string | undefined }
export type Compared =
  | { kind: 'attempt'; attempt: ReadAttempt }
  | { kind: 'task'; task: Awaited<ReturnType<typeof client.getTask>>['task'] }

export const useCompared = (subject: Subject | undefined) =>
  useQuery({
    queryKey: ['compared', subject?.taskId, subject?.attemptId],
    queryFn: async ({ signal }): Promise<Compared> => {
      const { taskId = '', attemptId } = subject ?? {}
      if (attemptId === undefined)
        return { kind: 'task', task: (await client.getTask({ params: { id: taskId } }, { signal })).task }
      return { kind: 'attempt', attempt: await attemptQuery(taskId, attemptId).queryFn({ signal }) }
    },
    enabled: subject !== undefined,
  })
