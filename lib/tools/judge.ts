import type { ToolDecision, ToolSession } from '../ports/tool.ts'
import type { Approve } from './approval.ts'
import { ownerOf } from './audit.ts'
import type { ParsedCall } from './call.ts'
import { guards } from './guards/catalog.ts'
import type { GuardFacts, GuardName } from './guards/guard.ts'
import { verdictOn } from './policy.ts'
import type { CallRate } from './rate.ts'
import { locateAll, pathsInWord } from './targets.ts'

export type Judgement = { decision: ToolDecision; guard?: GuardName; reason?: string }
type Needs = { approve: Approve; rate: CallRate; callsPerMinute: number }

/**
 * Decides on one call: the mode first, then every guard, and a person last, who is never asked about a call that a
 * guard refuses. Only calls that get past the rate limit count towards it.
 */
export const createJudge = ({ approve, rate, callsPerMinute }: Needs) => {
  const factsOf = async ({ tool, input }: ParsedCall, session: ToolSession): Promise<GuardFacts> => {
    const words = tool.words?.(input) ?? []
    const given = [...(tool.paths?.(input) ?? []), ...words.flatMap(pathsInWord)]
    const paths = await locateAll(session.workspace, given)
    // Counted without a pause in between, so that calls made at once cannot all see the same free place.
    const recentCalls = rate.recent(session.userId)
    if (recentCalls < callsPerMinute) rate.count(session.userId)
    return { words, paths, recentCalls, callsPerMinute }
  }

  const guardsOn = async (call: ParsedCall, session: ToolSession): Promise<Judgement | undefined> => {
    const facts = await factsOf(call, session)
    for (const guard of guards) {
      const reason = guard.refuses(facts)
      if (reason !== undefined) return { decision: 'blocked', guard: guard.name, reason }
    }
    return undefined
  }

  const ask = async ({ tool, input, title }: ParsedCall, session: ToolSession, signal: AbortSignal) => {
    const request = { tool: tool.name, risk: tool.risk, arguments: input, title, ...ownerOf(session) }
    const answer = await approve(request, signal)
    return answer.approved
      ? ({ decision: 'approved' } as const)
      : ({ decision: 'denied', reason: answer.reason } as const)
  }

  return async (call: ParsedCall, session: ToolSession, signal: AbortSignal): Promise<Judgement> => {
    const verdict = verdictOn(call.tool, session)
    if (verdict === 'deny')
      return { decision: 'denied', reason: `security mode ${session.mode} does not allow it` }
    const refused = await guardsOn(call, session)
    if (refused) return refused
    return verdict === 'ask' ? ask(call, session, signal) : { decision: 'allowed' }
  }
}
