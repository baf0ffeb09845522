import type { ApprovalAnswer, ApprovalRequest, WaitState } from '../approvals/schema.ts'
import { definedFields } from '../core/defined-fields.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import type { ToolDecision, ToolSession } from '../ports/tool.ts'
import type { PolicySource } from '../security/schema.ts'
import { callOwner } from './audit.ts'
import type { ParsedCall } from './call.ts'
import { type GuardName, guards } from './guards.ts'
import { rulingOn } from './policy.ts'
import type { CountCall } from './rate.ts'

/** Asks a person. An answer is bound to tool, exact arguments, user, and conversation or task. */
export interface Approvals {
  /** The state of the approval; requests one if there is none. Uses up nothing. */
  ask(request: ApprovalRequest): Promise<ApprovalAnswer>
  /** The state of the approval of a call that is made now; it uses up an approval or a denial. */
  use(request: ApprovalRequest): Promise<ApprovalAnswer>
  /** The state of an approval that a run waits for. */
  waitState(approvalId: string): Promise<WaitState>
}

const denied: ApprovalAnswer = {
  state: 'denied',
  reason: 'it needs approval, and no one can be asked here',
}

/** For callers without a person to ask. */
export const withoutApprovals: Approvals = {
  ask: async () => denied,
  use: async () => denied,
  waitState: async () => 'decided',
}

const url = /\bhttps?:\/\/[^\s'"]*/gi

// `-Iinclude/x` and `-f.env` join an option and a path: the path starts at the first character that may start one.
const glued = (piece: string): string => {
  if (!piece.startsWith('-')) return piece
  const start = piece.search(/[./~]/)
  return start < 0 ? '' : piece.slice(start)
}

// Words of a sentence (a commit message) count only if they look like a file.
const looksLikeFile = (piece: string) => /[./_~\\]/.test(piece)

/** Every part of a command's word that a program could read as a path: `--file=a`, `rev:a`, `@a`, `-fa`, `x "a"`. */
const pathsInWord = (word: string): string[] => {
  const plain = word.replace(url, ' ')
  const sentence = /\s/.test(plain.trim())
  const pieces = plain.split(/[\s=:,@'"]+/).flatMap((piece) => [piece, glued(piece)])
  const paths = pieces.filter((piece) => piece !== '' && (!sentence || looksLikeFile(piece)))
  // The whole word too, since a name may contain any of the separators.
  return [...new Set(plain.trim() === '' ? paths : [plain.trim(), ...paths])]
}

/** `reason` is set when the call is refused. */
export type Authorization = {
  decision: ToolDecision
  guard?: GuardName
  reason?: string
  approvalId?: string
}
type Needs = { approvals: Approvals; countCall: CountCall; policy: PolicySource }

/** A call that its tool would refuse, also after an approval. */
const toolRefusal = async (
  { tool, input }: ParsedCall,
  { workspace }: ToolSession,
): Promise<Authorization | undefined> => {
  try {
    await tool.refuse?.(input, { workspace })
    return undefined
  } catch (thrown) {
    if (!(thrown instanceof Problem)) throw thrown
    return { decision: 'invalid', reason: errorMessage(thrown) }
  }
}

/**
 * Decides about one call: first policy and mode, then every guard and the tool itself, and a person last, who is never
 * asked about a call that any of them refuses. They check an approved call again when it is made. A call that policy and mode allow counts
 * towards the rate limit once, at its first check, even if it then waits for approval.
 */
export const createAuthorize = ({ approvals, countCall, policy }: Needs) => {
  const guardRefusal = async (
    { tool, input }: ParsedCall,
    { workspace, userId }: ToolSession,
    callsPerMinute: number,
    isCounted: boolean,
  ): Promise<Authorization | undefined> => {
    const words = tool.words?.(input) ?? []
    const given = [...(tool.paths?.(input) ?? []), ...words.flatMap(pathsInWord)]
    const located = given.map(async (path) => ({ given: path, real: await workspace.locate(path) }))
    const paths = await Promise.all(located)
    const withinRate = isCounted || tool.isInEveryMode || (await countCall(userId, callsPerMinute))
    for (const guard of guards) {
      const reason = guard.refuses({ words, paths, withinRate, callsPerMinute })
      if (reason !== undefined) return { decision: 'blocked', guard: guard.name, reason }
    }
    return undefined
  }

  /** The decision without a person, or `ask` for a call that a person has to decide. */
  const beforeAsking = async (
    call: ParsedCall,
    session: ToolSession,
    isCounted: boolean,
  ): Promise<Authorization | 'ask'> => {
    const rules = await policy.current()
    const ruling = rulingOn(call.tool, session, rules)
    if (ruling.verdict === 'deny') return { decision: 'denied', reason: ruling.reason }
    const refusal = await guardRefusal(call, session, rules.toolRateLimitPerMinute, isCounted)
    if (refusal !== undefined) return refusal
    if (ruling.verdict !== 'ask') return { decision: 'allowed' }
    return (await toolRefusal(call, session)) ?? 'ask'
  }

  return {
    /** The decision about a call that is made now; it uses up the approval that the call needed. */
    authorize: async (call: ParsedCall, session: ToolSession, isCounted = false): Promise<Authorization> => {
      const decided = await beforeAsking(call, session, isCounted)
      return decided === 'ask'
        ? toAuthorization(await approvals.use(toApprovalRequest(call, session)))
        : decided
    },
    /** The decision about a call that is made later: a refusal, or the approval that it waits for; else undefined. */
    ask: async (call: ParsedCall, session: ToolSession): Promise<Authorization | undefined> => {
      const decided = await beforeAsking(call, session, false)
      if (decided !== 'ask') return decided.reason === undefined ? undefined : decided
      const answer = await approvals.ask(toApprovalRequest(call, session))
      return answer.state === 'pending' ? toAuthorization(answer) : undefined
    },
  }
}

const toApprovalRequest = ({ tool, input, title }: ParsedCall, session: ToolSession) => ({
  tool: tool.name,
  risk: tool.risk,
  arguments: input,
  title,
  mode: session.mode,
  ...callOwner(session),
  ...definedFields({ ttlMs: session.approvalTtlMs, awaited: session.awaited }),
})

const toAuthorization = (answer: ApprovalAnswer): Authorization => {
  const by = answer.approvalId === undefined ? {} : { approvalId: answer.approvalId }
  if (answer.state === 'approved') return { decision: 'approved', ...by }
  if (answer.state === 'denied') return { decision: 'denied', reason: answer.reason, ...by }
  return { decision: 'pending', reason: 'it waits for approval', ...by }
}
