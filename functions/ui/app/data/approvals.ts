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

/** Oldest first. */
export const useApprovals = () => useLive(open, EVERY_MS.list)

/** For badges; undefined until loaded. */
export const useApprovalCount = () => useLive(open, EVERY_MS.calm).data?.length

export const decide = (id: string, decision: Decision) =>
  client.decideApproval({ params: { id }, body: { decision } })

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

/** Newest first. */
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

export type Session = { taskId?: string | undefined; conversationId?: string | undefined }

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

/** Undefined until loaded, and if it was deleted. */
export const useSessionTitle = (session: Session): string | undefined =>
  useQuery({ ...sessionQuery(session), staleTime: NAMED_MS }).data?.title

/** Its calls are no longer made. */
export const useIsOver = (session: Session): boolean =>
  useLive(sessionQuery(session), EVERY_MS.calm).data?.isOver ?? false
