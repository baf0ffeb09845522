import type { McpServer } from '@agentclientprotocol/sdk'
import { definedFields } from '../../../core/defined-fields.ts'
import type { SecurityMode } from '../../../core/security-mode.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Toolbox, ToolSession } from '../../../ports/tool.ts'
import { startProgram } from '../program/program.ts'
import { createProgramRun, type ProgramNeeds, taskPrompt } from '../program/run.ts'
import { taskSettings } from '../task-settings.ts'
import type { AcpProgram, McpServerSetting } from './catalog.ts'
import { createDecide } from './permissions.ts'
import { createUpdates } from './updates.ts'

export type RunNeeds = ProgramNeeds & {
  /** The toolbox of the tools `agent_…`, which decides about what the agent asks. */
  openPermissions: (session: ToolSession) => Toolbox
  clock: Clock
  securityMode?: () => SecurityMode
  /** How long approvals wait where a task does not say; 0 has no end. */
  approvalTtlMs?: number
}

/** The library of the protocol, which takes 30 MB, is loaded when a program is first talked to. */
export const loadSession = () => import('./session.ts')

const endings: Readonly<Record<string, string>> = {
  max_tokens: 'The agent reached its token limit before the task was done',
  max_turn_requests: 'The agent reached its step limit before the task was done',
  refusal: 'The agent refused to continue',
  cancelled: 'The agent cancelled its turn',
}

const pairs = (values: Readonly<Record<string, string>> = {}) =>
  Object.entries(values).map(([name, value]) => ({ name, value }))

/** A server of tools in the form of the protocol. */
const mcpServer = ({ name, ...server }: McpServerSetting): McpServer =>
  'url' in server
    ? { type: 'http', name, url: server.url, headers: pairs(server.headers) }
    : { name, command: server.command, args: [...(server.args ?? [])], env: pairs(server.env) }

/** Runs tasks with a program over the Agent Client Protocol. */
export const createRun = (preset: AcpProgram, needs: RunNeeds) =>
  createProgramRun(
    preset,
    needs,
    ({ start, work, task, context, cost, keepSession }) => {
      const { workspace } = work
      const { openPermissions, clock, securityMode, commands } = needs
      const { signal, observe, waitFor } = context
      const { mode = securityMode?.() ?? 'full', approvalTtlMs = needs.approvalTtlMs ?? 0 } =
        taskSettings(task)
      const owner = { userId: task.createdBy, taskId: task.id }
      const toolbox = openPermissions({ mode, workspace, ...owner, approvalTtlMs, awaited: true })
      const denied: string[] = []
      const deniedIds = new Set<string>()
      const undecided = new Map<string, string>()
      const updates = createUpdates({ observe, now: () => clock.monotonic(), deniedIds })
      const decide = createDecide({ toolbox, clock, denied, deniedIds, undecided, waitFor })
      let { agentSession } = work
      let isResumed = false

      const runTurn = async () => {
        const session = await loadSession()
        signal.throwIfAborted()
        return session.runTurn({
          // Told to cancel, the program ends its turn: the session ends its processes.
          program: startProgram(preset, commands, { ...start, signal: new AbortController().signal }),
          cwd: workspace.root,
          earlier: work.agentSession,
          prompt: (resumed) => taskPrompt(task, work, context, resumed),
          clock,
          signal,
          mode: preset.mode,
          authMethod: preset.authMethod,
          mcpServers: (preset.mcpServers ?? []).map(mcpServer),
          onSession: async (id, resumed) => {
            agentSession = id
            isResumed = resumed
            if (work.agentSession !== undefined && !resumed)
              context.progress('The agent no longer has its session, so it starts a new one')
            await keepSession(id)
          },
          onUpdate: (update) => {
            updates.take(update)
            // A resumed session may state what earlier attempts and turns have cost, too.
            const { cost: stated } = update.sessionUpdate === 'usage_update' ? update : {}
            if (!isResumed && stated?.currency === 'USD') cost.state(stated.amount)
          },
          decide: ({ toolCall, ...request }, aborted) =>
            decide({ ...request, toolCall: updates.wholeCall(toolCall) }, aborted),
        })
      }

      return {
        take: async () => {
          const { stopReason } = await runTurn()
          updates.end()
          if (undecided.size > 0) {
            const calls = [...undecided.values()].join(', ')
            return { failure: `The agent ended its turn before these calls were decided: ${calls}` }
          }
          if (stopReason === 'end_turn') return {}
          // Codex ends its turn where a call is denied.
          const after = denied.length > 0 ? `. Denied calls: ${denied.join(', ')}` : ''
          return { failure: (endings[stopReason] ?? `The agent ended: ${stopReason}`) + after }
        },
        isAnswered: updates.isAnswered,
        soFar: () => {
          const { answer, ...counts } = updates.outcome()
          const facts = {
            ...counts,
            ...definedFields({ agentSession }),
            ...(denied.length > 0 && { denied }),
          }
          return { answer, facts }
        },
      }
    },
    { resumes: true },
  )
