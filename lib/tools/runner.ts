import { approvalExpired } from '../core/approval-expiry.ts'
import { definedFields } from '../core/defined-fields.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import { createMasker, type Masker } from '../core/masker.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { ToolCall } from '../ports/model.ts'
import type { CallOptions, Toolbox, ToolOutcome, ToolSession } from '../ports/tool.ts'
import { defaultPolicy, type PolicySource } from '../security/schema.ts'
import { type ToolCallRecord, toolCallRecord } from './audit.ts'
import { type Approvals, type Authorization, createAuthorize, withoutApprovals } from './authorize.ts'
import { callTitle, type ParsedCall, parseCall, toToolSpec } from './call.ts'
import { rulingOn } from './policy.ts'
import { type CountCall, createCallRate } from './rate.ts'
import type { Risk } from './schema.ts'
import type { Tool, ToolOutput } from './tool.ts'

// Shorter than the worker's grace period: the result of a stopped call is reported before its run is over.
const GRACE_MS = 1_000

/** Settles as `work` does; after an abort `work` has one more second, and the reason of the signal is thrown. */
const untilAborted = async <Value>(
  clock: Clock,
  work: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> => {
  const late = Promise.withResolvers<never>()
  let forget: (() => void) | undefined
  const onAbort = () => {
    forget = clock.after(GRACE_MS, () => late.reject(signal.reason))
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, late.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
    forget?.()
    signal.throwIfAborted()
  }
}

type Needs = {
  tools: readonly Tool[]
  clock: Clock
  /** Asks people; without it, a call that needs approval is denied. */
  approvals?: Approvals
  /** The policy of the installation; the default policy when absent. */
  policy?: PolicySource
  /** Counts the calls of users; within this runner when absent. */
  countCall?: CountCall
  /** Called once for every call, also for refused and aborted ones, before its result goes to the model. */
  onToolCall?: (record: ToolCallRecord) => void
  masker?: Masker
  log?: Log
}

const fixedPolicy: PolicySource = { known: () => defaultPolicy, current: async () => defaultPolicy }

// The message of an error that is no Problem may name folders of this machine: the model gets only its code, and the log
// has the message.
const failure = ({ name }: Tool, thrown: unknown, log: Log | undefined): ToolOutput => {
  if (thrown instanceof Problem) return { content: errorMessage(thrown), failed: true }
  log?.warn({ tool: name, err: thrown }, 'a tool failed')
  const { code = 'unexpected error' } = (thrown ?? {}) as { code?: unknown }
  return { content: `${name} failed (${code}).`, failed: true }
}

const refuser = ({ decision, guard }: Authorization): string => {
  if (guard) return `Blocked by the ${guard} guard`
  return decision === 'pending' ? 'Not made yet' : 'Denied'
}

/** The result of a call: checked, and made if nothing forbade it. */
type Handled = Authorization & ToolOutput & { risk?: Risk; fault?: unknown }

const refusal = (authorization: Authorization & { reason: string }) => ({
  ...authorization,
  content:
    authorization.decision === 'invalid'
      ? authorization.reason
      : `${refuser(authorization)}: ${authorization.reason}`,
  failed: true,
})

/** Opens toolboxes: schema, mode and all guards check every call before the tool runs. */
export const createToolRunner = (needs: Needs) => {
  const { clock, tools, masker = createMasker([]), policy = fixedPolicy } = needs
  const { approvals = withoutApprovals, countCall = createCallRate(clock) } = needs
  const { authorize, ask } = createAuthorize({ approvals, countCall, policy })

  /** Authorizes a call. A call whose check fails with an error is not made. */
  const authorizeSafely = async (
    parsed: ParsedCall,
    session: ToolSession,
    signal: AbortSignal,
    isChecked: boolean,
  ): Promise<Authorization & { fault?: unknown }> => {
    try {
      return await untilAborted(clock, authorize(parsed, session, isChecked), signal)
    } catch (fault) {
      const reason = signal.aborted
        ? `it was stopped before: ${errorMessage(fault)}`
        : 'it could not be checked'
      return { decision: 'denied', reason, fault }
    }
  }

  const perform = async (
    { tool, input }: ParsedCall,
    { workspace, userId, mode }: ToolSession,
    signal: AbortSignal,
  ) => {
    try {
      return await untilAborted(clock, tool.run(input, { workspace, userId, mode, signal }), signal)
    } catch (thrown) {
      if (!signal.aborted) return failure(tool, thrown, needs.log)
      return { content: `Stopped before its end: ${errorMessage(thrown)}`, failed: true, fault: thrown }
    }
  }

  const handle = async (
    call: ToolCall,
    session: ToolSession,
    signal: AbortSignal,
    { isChecked = false, onBegin }: CallOptions,
  ): Promise<Handled> => {
    const parsed = parseCall(tools, call, masker.logText)
    if (typeof parsed === 'string') return { decision: 'invalid' as const, content: parsed, failed: true }
    const authorization = await authorizeSafely(parsed, session, signal, isChecked)
    const { reason } = authorization
    const { risk } = parsed.tool
    if (reason !== undefined) return { ...refusal({ ...authorization, reason }), risk }
    onBegin?.()
    return { ...authorization, ...(await perform(parsed, session, signal)), risk }
  }

  /** Records the result of a call. A call that waits for a person is recorded after the decision. */
  const settle = (call: ToolCall, session: ToolSession, handled: Handled, from: number): ToolOutcome => {
    const { decision, failed = false, guard, risk, approvalId, fault, question } = handled
    const durationMs = clock.monotonic() - from
    const outcome: ToolOutcome = { content: masker.text(handled.content), failed, decision, durationMs }
    if (decision === 'pending') return { ...outcome, ...(approvalId !== undefined && { approvalId }) }
    const went = { outcome, risk, ...(guard && { guard }), ...(approvalId !== undefined && { approvalId }) }
    needs.onToolCall?.(toolCallRecord(call, session, went, masker))
    return { ...outcome, ...definedFields({ question }), ...(fault !== undefined && { fault }) }
  }

  const run = async (call: ToolCall, session: ToolSession, signal: AbortSignal, options: CallOptions) => {
    signal.throwIfAborted()
    const from = clock.monotonic()
    return settle(call, session, await handle(call, session, signal, options), from)
  }

  const askFor = async (
    call: ToolCall,
    session: ToolSession,
    signal: AbortSignal,
  ): Promise<ToolOutcome | undefined> => {
    signal.throwIfAborted()
    const from = clock.monotonic()
    const parsed = parseCall(tools, call, masker.logText)
    if (typeof parsed === 'string')
      return settle(call, session, { decision: 'invalid', content: parsed, failed: true }, from)
    const authorization = await untilAborted(clock, ask(parsed, session), signal)
    if (authorization?.reason === undefined) return undefined
    const { reason } = authorization
    return settle(call, session, { ...refusal({ ...authorization, reason }), risk: parsed.tool.risk }, from)
  }

  return (session: ToolSession): Toolbox => ({
    specs: tools.filter((tool) => rulingOn(tool, session, policy.known()).verdict !== 'deny').map(toToolSpec),
    title: (call) => callTitle(tools, call, masker.logText),
    call: (call, signal, options = {}) => run(call, session, signal, options),
    ask: (call, signal) => askFor(call, session, signal),
    isDecided: async (approvalId) => {
      const state = await approvals.waitState(approvalId)
      if (state === 'expired' && session.taskId !== undefined) throw approvalExpired()
      return state !== 'pending'
    },
  })
}
