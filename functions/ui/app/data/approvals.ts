import { type QueryKey, useQuery } from '@tanstack/react-query'
import { ApiError } from '../../../../lib/api/api-error.ts'
import type { AllowedTool, Approval, Decision } from '../../../../lib/approvals/schema.ts'
import { isFinal } from '../../../../lib/tasks/machine.ts'
import { refetch, useChange } from './change.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'

export type { AllowedTool, Approval, Decision }

const key = ['approvals'] as const
const allowedKey = ['allowed-tools'] as const
const NAMED_MS = 60_000

/** Oldest first. */
export const useApprovals = () =>
  useLive(
    key,
    async (signal: AbortSignal) => (await client.listApprovals({}, { signal })).approvals,
    EVERY_MS.list,
  )

export const decide = (id: string, decision: Decision) =>
  client.decideApproval({ params: { id }, body: { decision } })

/** The queries that a decision changes. */
const DECIDED: readonly QueryKey[] = [key, ['inbox'], allowedKey, ['tasks'], ['conversations']]

export const refetchDecided = () => refetch(...DECIDED)

export const useDecide = () =>
  useChange(({ id, decision }: { id: string; decision: Decision }) => decide(id, decision), ...DECIDED)

/** Newest first. */
export const useAllowedTools = () =>
  useLive(
    allowedKey,
    async (signal) => (await client.listAllowedTools({}, { signal })).allowedTools,
    EVERY_MS.calm,
  )

export const useRemoveAllowedTool = () =>
  useChange((id: string) => client.removeAllowedTool({ params: { id } }), allowedKey)

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

const sessionKey = ({ taskId, conversationId }: Session) => ['session-of', taskId, conversationId]

const readSessionOrGone = (
  session: Session,
  signal: AbortSignal,
): Promise<{ title?: string | undefined; isOver: boolean }> =>
  readSession(session, signal).catch((error: unknown) => {
    if (isGone(error)) return { isOver: true }
    throw error
  })

/** Undefined until loaded, and if it was deleted. */
export const useSessionTitle = (session: Session): string | undefined =>
  useQuery({
    queryKey: sessionKey(session),
    queryFn: ({ signal }) => readSessionOrGone(session, signal),
    staleTime: NAMED_MS,
  }).data?.title

/** Its calls are no longer made. */
export const useIsOver = (session: Session): boolean =>
  useLive(sessionKey(session), (signal) => readSessionOrGone(session, signal), EVERY_MS.calm).data?.isOver ??
  false
