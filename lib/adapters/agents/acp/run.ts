import { definedFields } from '../../../core/defined-fields.ts'
import type { SecurityMode } from '../../../core/security-mode.ts'
import { taskFailure } from '../../../core/task-failure.ts'
import type { AgentContext, AgentResult, AgentTask } from '../../../ports/agent.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Toolbox, ToolSession } from '../../../ports/tool.ts'
import type { Workspace } from '../../../ports/workspace.ts'
import type { Bridged, Commands, Program } from '../../node/command.ts'
import { type Brokered, type BrokeredModels, openBrokeredRun } from '../broker/run.ts'
import type { FoundProgram } from '../programs.ts'
import { createRepositoryWork, type RepositoryNeeds, type Work } from '../repository/work.ts'
import type { AcpProgram } from './catalog.ts'
import { createDecide } from './permissions.ts'
import { createUpdates } from './updates.ts'

export type RunNeeds = RepositoryNeeds & {
  /** Gives runs models without a key; opened at the first run. */
  brokered?: () => Promise<Brokered>
  commands: Pick<Commands, 'open'>
  /** The toolbox of the tools `agent_…`, which decides about what the agent asks. */
  openPermissions: (session: ToolSession) => Toolbox
  clock: Clock
  securityMode?: () => SecurityMode
}

/** The library of the protocol, which takes 30 MB, is loaded when a program is first talked to. */
export const loadSession = () => import('./session.ts')

type Start = {
  found: FoundProgram
  workspace: Workspace
  signal: AbortSignal
  env?: Readonly<Record<string, string>>
  bridged?: readonly Bridged[]
}

/** Starts the program in a workspace. */
export const startProgram = (
  { args, reads = [], env }: AcpProgram,
  { commands }: Pick<RunNeeds, 'commands'>,
  { found, workspace: { root, home, tmp }, ...start }: Start,
): Program =>
  commands.open({
    ...{ file: found.file, args: [...args], by: 'agent', cwd: root, home, tmp, writes: [root, home, tmp] },
    ...start,
    reads: [...found.reads, ...reads],
    env: { ...start.env, ...env },
  })

const prompt = ({ title, description, prompt: asked }: AgentTask): string =>
  [asked?.includes(title) ? undefined : title, description, asked].filter(Boolean).join('\n\n')

const endings: Readonly<Record<string, string>> = {
  max_tokens: 'The agent stopped at its limit of tokens, before the task was done',
  max_turn_requests: 'The agent stopped at its limit of steps, before the task was done',
  refusal: 'The agent refused to go on',
  cancelled: 'The agent cancelled its turn',
}

/** The models of a run, and the variables by which its program finds them. */
const openModels = async ({ brokerEnv }: AcpProgram, brokered: RunNeeds['brokered']) => {
  if (brokered === undefined) return undefined
  const models = openBrokeredRun(await brokered())
  const { origin, token, variables } = models
  return { ...models, env: { ...variables, ...brokerEnv?.(origin, token) } }
}

/** Agents may call a turn done whose last call of a model failed. */
const refuseFailed = (models: BrokeredModels | undefined): void => {
  const status = models?.failedStatus()
  if (status === undefined) return
  const message = `The agent’s last call of its model was answered ${status}`
  throw taskFailure('unavailable', 'provider_error', message, true)
}

/** Runs tasks with a program over the Agent Client Protocol. */
export const createRun = (preset: AcpProgram, needs: RunNeeds) => {
  const { openPermissions, clock, securityMode } = needs
  const repository = createRepositoryWork(needs)

  const takeTurn = async (found: FoundProgram, work: Work, task: AgentTask, context: AgentContext) => {
    const { workspace } = work
    const { signal, observe, progress } = context
    const mode = securityMode?.() ?? 'full'
    const toolbox = openPermissions({ mode, workspace, userId: task.createdBy, taskId: task.id })
    const denied: string[] = []
    const updates = createUpdates({ observe, now: () => clock.monotonic() })
    const { runTurn } = await loadSession()
    const models = await openModels(preset, needs.brokered)
    try {
      progress(`Starting ${preset.name}`)
      const start = { found, workspace, signal, ...(models && { env: models.env, bridged: models.bridged }) }
      let agentSession = ''
      const { stopReason } = await runTurn({
        program: startProgram(preset, needs, start),
        cwd: workspace.root,
        prompt: [...work.notes.map((note) => `[${note}.]`), prompt(task)].join('\n\n'),
        clock,
        signal,
        mode: preset.mode,
        authMethod: preset.authMethod,
        onSession: (id) => {
          agentSession = id
        },
        onUpdate: updates.take,
        decide: createDecide({ toolbox, clock, denied, progress }),
      })
      updates.end()
      refuseFailed(models)
      const { answer, cost, ...counts } = updates.outcome()
      const facts = {
        ...counts,
        agentSession,
        ...(models && { usage: models.usage(), ...definedFields({ model: models.model() }) }),
        ...(denied.length > 0 && { denied }),
        ...(cost?.currency === 'USD' && { cost: { usd: cost.amount, source: 'provider' } }),
      }
      return { stopReason, answer, facts }
    } finally {
      models?.close()
    }
  }

  return async (found: FoundProgram, task: AgentTask, context: AgentContext): Promise<AgentResult> => {
    context.signal.throwIfAborted()
    const work = await repository.prepare(task, context)
    const { stopReason, answer, facts } = await takeTurn(found, work, task, context)
    const changes = await repository.changes(work, context)
    const { branch, baseCommit } = work.at
    const result = { ...changes, branch, baseCommit, ...facts }
    const continuation = async () => ({ continuation: { files: await repository.left(work, context) } })
    if (stopReason !== 'end_turn') {
      const ending = endings[stopReason] ?? `The agent ended: ${stopReason}`
      const output = [ending, answer].filter(Boolean).join('\n\n')
      return { success: false, retryable: false, output, ...result, ...(await continuation()) }
    }
    const { filesChanged } = 'thread' in changes ? changes.thread : changes
    const done = { output: answer, filesChanged }
    const published = await repository.publish(work, task, done, context)
    const left = await continuation()
    return { success: true, output: answer, ...result, ...(published && { published }), ...left }
  }
}
