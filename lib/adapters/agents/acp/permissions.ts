import type {
  PermissionOption,
  PermissionOptionKind,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallContent,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk'
import { agentCallKinds, toAgentCallKind } from '../../../core/agent-call-kinds.ts'
import type { AgentContext } from '../../../ports/agent.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Toolbox } from '../../../ports/tool.ts'
import { agentFailure } from '../program/failures.ts'
import { isEmpty } from './open-calls.ts'

/** What separates the words of a shell’s line (POSIX, section 2.2), and assignments. */
const SHELL_SIGNS = /[\s;&|<>()`$"'=]+/

const commandWords = (input: unknown): string[] => {
  const { command } = Object(input) as { command?: unknown }
  const lines = Array.isArray(command) ? command.map(String) : [typeof command === 'string' ? command : '']
  return lines.flatMap((line) => line.split(SHELL_SIGNS)).filter(Boolean)
}

type Changed = Extract<ToolCallContent, { type: 'diff' }>

/** A call that an agent asks permission for, as a call of one of the tools `agent_…`. */
const permissionCall = ({ toolCallId, title, kind, locations, rawInput, content }: ToolCallUpdate) => {
  // A permission may take its kind from an update, in which the library checks nothing.
  const callKind = toAgentCallKind(kind)
  const changes = (content ?? []).filter((part): part is Changed => part.type === 'diff')
  const paths = [...(locations ?? []), ...changes].map(({ path }) => path)
  return {
    id: toolCallId,
    name: `agent_${callKind}`,
    arguments: {
      title: title ?? callKind,
      paths: agentCallKinds[callKind] === 'write' ? [...new Set(paths)] : [],
      command: commandWords(rawInput),
      // Codex has what it changes in the content of its call alone.
      input: isEmpty(rawInput) && changes.length > 0 ? { changes } : rawInput,
    },
  }
}

/** The option that allows or rejects this one call; undefined where the agent offers none that is for once. */
const onceOption = (
  options: readonly PermissionOption[],
  kind: Extract<PermissionOptionKind, 'allow_once' | 'reject_once'>,
): string | undefined => options.find((option) => option.kind === kind)?.optionId

/** A run with as many refused calls asks for nothing that it can have. */
const MOST_DENIED = 1_000

/** How often a run checks whether its approval is decided. */
const LOOK_MS = 1_000

const tooManyDenied = () => {
  const message = `The agent was stopped because ${MOST_DENIED} of its calls were denied. See the denied calls of the task, or choose another security mode`
  return agentFailure('agent_limit', message, false)
}

type DecideNeeds = {
  toolbox: Toolbox
  clock: Clock
  /** Titles of what was refused are added to it. */
  denied: string[]
  /** Their ids, as the agent has them. */
  deniedIds: Set<string>
  /** The titles of the calls that wait for a person, by the ids of the calls. */
  undecided: Map<string, string>
  waitFor: AgentContext['waitFor']
}

/**
 * Answers what an agent asks, each time for this one call, by the mode, guards, and people. Rejects where no decision can be
 * had, as with `approval_expired`.
 */
export const createDecide = ({ toolbox, clock, denied, deniedIds, undecided, waitFor }: DecideNeeds) => {
  const untilDecided = async (approvalId: string, signal: AbortSignal) => {
    while (!(await toolbox.isDecided(approvalId))) {
      await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve))
      signal.throwIfAborted()
    }
  }

  const isAllowed = async (call: ReturnType<typeof permissionCall>, signal: AbortSignal) => {
    let outcome = await toolbox.call(call, signal)
    // Once more where the same call, asked for at the same time, has used the decision up.
    while (outcome.decision === 'pending' && outcome.approvalId !== undefined) {
      const { approvalId } = outcome
      const waiting = { approvalId, toolCallId: call.id, name: call.name }
      undecided.set(call.id, toolbox.title(call))
      await waitFor(waiting, () => untilDecided(approvalId, signal))
      undecided.delete(call.id)
      outcome = await toolbox.call(call, signal, { isChecked: true })
    }
    return !outcome.failed
  }

  return async (
    { toolCall, options }: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse> => {
    const call = permissionCall(toolCall)
    const allowed = await isAllowed(call, signal)
    const optionId = onceOption(options, allowed ? 'allow_once' : 'reject_once')
    if (!allowed || optionId === undefined) {
      denied.push(toolbox.title(call))
      deniedIds.add(toolCall.toolCallId)
    }
    if (denied.length >= MOST_DENIED) throw tooManyDenied()
    return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } }
  }
}
