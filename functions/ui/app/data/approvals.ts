import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../../lib/api/api-error.ts'
import type { AllowedTool, Approval, Decision } from '../../../../lib/approvals/schema.ts'
import { isFinal } from '../../../../lib/tasks/machine.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'

export type { AllowedTool, Approval, Decision }

const key = ['approvals'] as const
const allowedKey = ['allowed-tools'] as const
const NAMED_MS = 60_000

const open = queryOptions({
  queryKey: key,
  queryFn: async ({ signal }) => (await client.listApprovals({}, { signal })).approvals,
})

/** The tool calls that wait for a decision, the oldest first, for the view that decides them. */
export const useApprovals = () => useLive(open, EVERY_MS.list)

/** How many tool calls wait for a decision, for badges; undefined until it is known. */
export const useApprovalCount = () => useLive(open, EVERY_MS.calm).data?.length

export const decide = (id: string, decision: Decision) =>
  client.decideApproval({ params: { id }, body: { decision } })

/** What shows approvals, and the tasks that wait for them, asks again. */
export const useDecided = () => {
  const queries = useQueryClient()
  return () =>
    Promise.all(
      [key, allowedKey, ['tasks'], ['conversations']].map((queryKey) =>
        queries.invalidateQueries({ queryKey: [...queryKey] }),
      ),
    )
}

export const useDecide = () => {
  const decided = useDecided()
  return useMutation({
    mutationFn: ({ id, decision }: { id: string; decision: Decision }) => decide(id, decision),
    onSettled: () => void decided(),
  })
}

/** The tools that need no approval in a conversation or task, the newest first. */
export const useAllowedTools = () =>
  useLive(
    queryOptions({
      queryKey: allowedKey,
      queryFn: async ({ signal }) => (await client.listAllowedTools({}, { signal })).allowedTools,
    }),
    EVERY_MS.calm,
  )

export const useDisallow = () => {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => client.removeAllowedTool({ params: { id } }),
    onSettled: () => void queries.invalidateQueries({ queryKey: allowedKey }),
  })
}

/** What a call was made in: a task, a conversation, or neither. */
export type Session = { taskId?: string | undefined; conversationId?: string | undefined }

/** What is known of a session: a conversation that is gone has ended as well. */
const readSession = async ({ taskId, conversationId }: Session, signal: AbortSignal) => {
  if (taskId !== undefined) {
    const { title, status } = (await client.getTask({ params: { id: taskId } }, { signal })).task
    return { title, isOver: isFinal(status) }
  }
  if (conversationId === undefined) return { isOver: false }
  const asked = { params: { id: conversationId }, query: { limit: 1 } }
  const { title } = (await client.getConversation(asked, { signal })).conversation
  return { title: title || undefined, isOver: false }
}

const isGone = (error: unknown) => error instanceof ApiError && error.status === 404

const sessionQuery = (session: Session) =>
  queryOptions({
    queryKey: ['session-of', session.taskId, session.conversationId],
    queryFn: ({ signal }): Promise<{ title?: string | undefined; isOver: boolean }> =>
      readSession(session, signal).catch((error: unknown) => {
        if (isGone(error)) return { isOver: true }
        throw error
      }),
  })

/** The title of a task or conversation; undefined until it is known, and where it is gone. */
export const useSessionTitle = (session: Session): string | undefined =>
  useQuery({ ...sessionQuery(session), staleTime: NAMED_MS }).data?.title

/** Whether a task or conversation has ended or is gone, so that none of its calls is made any more. */
export const useIsOver = (session: Session): boolean =>
  useLive(sessionQuery(session), EVERY_MS.calm).data?.isOver ?? false
