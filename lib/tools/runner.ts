import { messageOf, Problem } from '../core/errors.ts'
import { createMasker, type Masker } from '../core/masker.ts'
import type { Clock } from '../ports/clock.ts'
import type { ToolCall } from '../ports/model.ts'
import type { Toolbox, ToolOutcome, ToolSession } from '../ports/tool.ts'
import { type Approve, nobodyToAsk } from './approval.ts'
import { recordOf, type ToolCallRecord } from './audit.ts'
import { type ParsedCall, parseCall, specOf, titleOf } from './call.ts'
import { createJudge, type Judgement } from './judge.ts'
import { verdictOn } from './policy.ts'
import { createCallRate } from './rate.ts'
import type { Tool, ToolOutput } from './tool.ts'
import { untilAborted } from './until-aborted.ts'

type Needs = {
  tools: readonly Tool[]
  clock: Clock
  /** Asks a person in mode `ask`; without it, what would need asking is denied. */
  approve?: Approve
  /** Hears of every call, refused ones included, before its result goes to the model. */
  onToolCall?: (record: ToolCallRecord) => void
  /** Of all secrets that the service knows. */
  masker?: Masker
  /** Per user. */
  callsPerMinute?: number
}

// What is not a Problem was not written for the model and may name folders of this machine: only its code is told.
const failure = (tool: Tool, thrown: unknown): ToolOutput => {
  const { code = 'unexpected error' } = (thrown ?? {}) as { code?: unknown }
  const content = thrown instanceof Problem ? messageOf(thrown) : `${tool.name} failed (${code}).`
  return { content, failed: true }
}

const refusal = (judgement: Judgement & { reason: string }) => {
  const by = judgement.guard ? `Blocked by the ${judgement.guard} guard` : 'Denied'
  return { ...judgement, content: `${by}: ${judgement.reason}`, failed: true }
}

/** Opens toolboxes: every call is checked against its schema, the mode and all guards before the tool runs. */
export const createToolRunner = (needs: Needs) => {
  const { clock, tools, masker = createMasker([]), callsPerMinute = 300, approve = nobodyToAsk } = needs
  const judge = createJudge({ approve, rate: createCallRate(clock), callsPerMinute })

  const perform = async ({ tool, input }: ParsedCall, { workspace }: ToolSession, signal: AbortSignal) => {
    try {
      return await untilAborted(clock, tool.run(input, { workspace, signal }), signal)
    } catch (thrown) {
      signal.throwIfAborted()
      return failure(tool, thrown)
    }
  }

  const handle = async (call: ToolCall, session: ToolSession, signal: AbortSignal) => {
    const parsed = parseCall(tools, call, masker.logText)
    if (typeof parsed === 'string') return { decision: 'invalid' as const, content: parsed, failed: true }
    const judgement = await untilAborted(clock, judge(parsed, session, signal), signal)
    const { reason } = judgement
    if (reason !== undefined) return refusal({ ...judgement, reason })
    return { ...judgement, ...(await perform(parsed, session, signal)) }
  }

  const run = async (call: ToolCall, session: ToolSession, signal: AbortSignal): Promise<ToolOutcome> => {
    signal.throwIfAborted()
    const from = clock.monotonic()
    const handled: Judgement & ToolOutput = await handle(call, session, signal)
    const { decision, failed = false, guard } = handled
    const durationMs = clock.monotonic() - from
    const outcome = { content: masker.text(handled.content), failed, decision, durationMs }
    needs.onToolCall?.(recordOf(call, session, outcome, guard, masker))
    return outcome
  }

  return (session: ToolSession): Toolbox => ({
    specs: tools.filter((tool) => verdictOn(tool, session) !== 'deny').map(specOf),
    title: (call) => titleOf(tools, call, masker.logText),
    call: (call, signal) => run(call, session, signal),
    // Approvals are decided while the call waits.
    ask: async () => undefined,
  })
}
