import { useState } from 'react'
import { ApiError } from '../../../../lib/api/api-error.ts'
import { expiresAtMs } from '../components/countdown.ts'
import type { Approval, Decision } from '../data/approvals.ts'

/** `elsewhere`: decided in another tab, by an admin, or its session ended. */
export type Outcome = Decision | 'expired' | 'elsewhere'
export type Call = { approval: Approval; outcome?: Outcome }

export const isUndecided = ({ outcome }: Call): boolean => outcome === undefined

const isSameSession = (one: Approval, other: Approval) =>
  one.userId === other.userId && one.taskId === other.taskId && one.conversationId === other.conversationId

/** Without an end after all others, and else in the given order. */
const soonestFirst = ({ approval: one }: Call, { approval: other }: Call): number => {
  const [at, otherAt] = [expiresAtMs(one.expiresAt), expiresAtMs(other.expiresAt)]
  return at === otherAt ? 0 : at < otherAt ? -1 : 1
}

/**
 * Merges a new answer into the known calls, those that expire first in front. Calls that are gone keep their place with an outcome, so
 * that a person sees what became of them.
 */
export const followed = (calls: readonly Call[], open: readonly Approval[], now: number): readonly Call[] => {
  const answered = new Map(open.map((approval) => [approval.id, approval]))
  const known = new Set(calls.map(({ approval }) => approval.id))
  const merged = [
    ...calls.map((call): Call => {
      if (call.outcome !== undefined) return call
      const approval = answered.get(call.approval.id)
      if (approval) return { approval }
      return { ...call, outcome: expiresAtMs(call.approval.expiresAt) <= now ? 'expired' : 'elsewhere' }
    }),
    ...open.filter(({ id }) => !known.has(id)).map((approval) => ({ approval })),
  ]
  return merged.sort(soonestFirst)
}

/** Applies a decision. `allow-always` also allows pending calls of the same tool in the session. */
export const decided = (calls: readonly Call[], id: string, outcome: Outcome): readonly Call[] => {
  const one = calls.find(({ approval }) => approval.id === id)?.approval
  const isAlso = (other: Approval) =>
    outcome === 'allow-always' &&
    one !== undefined &&
    other.toolName === one.toolName &&
    isSameSession(one, other)
  return calls.map((call): Call => {
    if (call.approval.id === id) return { ...call, outcome }
    return call.outcome === undefined && isAlso(call.approval) ? { ...call, outcome: 'allow-once' } : call
  })
}

const refusals: Readonly<Record<string, Outcome>> = {
  approval_expired: 'expired',
  approval_decided: 'elsewhere',
  approval_not_found: 'elsewhere',
}

/** Undefined if the decision can be retried. */
export const refusalOutcome = (error: unknown): Outcome | undefined =>
  error instanceof ApiError ? refusals[error.code] : undefined

/** Calls that wait, and those that did since the list opened. `open` keeps its identity until it changes. */
export const useCalls = (open: readonly Approval[]) => {
  const [calls, setCalls] = useState<readonly Call[]>(() => followed([], open, 0))
  const [last, setLast] = useState(open)
  if (open !== last) {
    setLast(open)
    setCalls(followed(calls, open, Date.now()))
  }
  return {
    calls,
    mark: (id: string, outcome: Outcome) => setCalls((now) => decided(now, id, outcome)),
    clear: () => setCalls((now) => now.filter(isUndecided)),
  }
}
