import { isSecurityMode, type SecurityMode } from '../../../core/security-mode.ts'
import { taskFailure } from '../../../core/task-failure.ts'
import type {
  AgentAdapter,
  AgentContext,
  AgentResult,
  AgentTask,
  AgentWaiting,
} from '../../../ports/agent.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Git } from '../../../ports/git.ts'
import type { Models } from '../../../ports/model.ts'
import type { Repositories } from '../../../ports/repositories.ts'
import type { LoopResult, RunLoop, Toolbox, ToolSession } from '../../../ports/tool.ts'
import { type Workspaces, workspaceName } from '../../../ports/workspace.ts'
import { changesIn } from './changes.ts'
import { createCheckout } from './checkout.ts'
import { type CodingCheckpoint, checkpointOf, restore, spentBy } from './checkpoint.ts'
import { codingAgentFacts } from './facts.ts'
import { createHealthCheck } from './health.ts'
import { progressOf } from './progress.ts'
import { openingMessages } from './prompt.ts'

type Needs = {
  models: Models
  loop: RunLoop
  /** Opens the guarded tools of one run. */
  openTools: (session: ToolSession) => Toolbox
  workspaces: Workspaces
  git: Git
  clock: Clock
  repositories: Pick<Repositories, 'sourceOf'>
  /** Whether tasks of this user may clone any path of this machine. */
  isLocalAdmin: (userId: string) => boolean
  /** The mode of tasks that name none; asked for each run, since it is a setting. */
  securityMode?: () => SecurityMode | Promise<SecurityMode>
  maxSteps?: number
  /** Tokens that a run may spend, where its task does not say. */
  maxBudget?: number | undefined
}

const failures: Readonly<
  Record<Exclude<LoopResult['ended'], 'answered' | 'waiting'>, (run: LoopResult) => string>
> = {
  budget: ({ usage }) =>
    `Stopped after ${usage.totalTokens} tokens, the most allowed, before the task was done.`,
  max_steps: ({ steps }) => `Stopped after ${steps} steps, the most allowed, before the task was done.`,
  cut: ({ finishReason }) => `The model's answer ended early (${finishReason}).`,
  empty: () => 'The model neither answered nor did anything.',
}

const outputOf = (run: LoopResult): string => {
  if (run.ended === 'answered' || run.ended === 'waiting') return run.text
  return [failures[run.ended](run), run.text].filter(Boolean).join('\n\n')
}

const LEAST_BUDGET = 1_000

/** The tokens that a task may spend (`metadata.maxBudget`). Throws a failure that is not retried for what is no budget. */
const budgetOf = ({ metadata }: AgentTask): number | undefined => {
  const given = metadata?.maxBudget
  if (given === undefined || given === null) return undefined
  if (Number.isSafeInteger(given) && (given as number) >= LEAST_BUDGET) return given as number
  const what = `metadata.maxBudget must be a whole number of tokens, at least ${LEAST_BUDGET}`
  throw taskFailure('invalid', 'max_budget_invalid', what, false)
}

/**
 * The built-in agent: a model with guarded tools in a workspace of its own. Each attempt of a task starts in a fresh
 * folder `<task id>-<attempt>`, so that neither the leavings nor a late straggler of an earlier attempt get in its way.
 */
export const createCodingAgent = (needs: Needs): AgentAdapter => {
  const { models, loop, openTools, workspaces, git, clock, maxSteps = 25 } = needs
  const checkout = createCheckout({ git })

  const modeOf = (task: AgentTask): SecurityMode | Promise<SecurityMode> => {
    const wanted = task.metadata?.securityMode
    if (isSecurityMode(wanted)) return wanted
    if (wanted === undefined || wanted === null) return needs.securityMode?.() ?? 'full'
    const what = 'metadata.securityMode must be deny, sandbox, allowlist, ask or full'
    throw taskFailure('invalid', 'security_mode_invalid', what, false)
  }

  // Judged when the task was made, and again now: names change what they stand for, and tasks come by import too.
  const sourceOf = async ({ repository, createdBy }: AgentTask) =>
    repository
      ? needs.repositories.sourceOf(repository, { isLocalAdmin: needs.isLocalAdmin(createdBy) })
      : undefined

  const prepare = async (task: AgentTask, { signal, attempt, progress }: AgentContext) => {
    const source = await sourceOf(task)
    const workspace = await workspaces.create(workspaceName(task.id, attempt))
    progress(source ? `Cloning ${source.shown}`.slice(0, 300) : 'Preparing an empty workspace')
    const branch = task.branch || `agent/${task.id}`
    return { workspace, ...(await checkout(workspace, { source, branch, signal })) }
  }

  /** The workspace of a run that waited: as it was left, or built anew where that is gone. */
  const reopen = async (task: AgentTask, context: AgentContext, left: CodingCheckpoint) => {
    const { signal, attempt, progress } = context
    const workspace = await workspaces.open(workspaceName(task.id, attempt))
    const { branch, baseCommit } = left
    if ((await workspace.list('.', 1)).names.length > 0) return { workspace, branch, baseCommit }
    progress('Building the workspace anew')
    const source = await sourceOf(task)
    const anew = await checkout(workspace, { source, branch, signal })
    await restore(workspace, left, anew.baseCommit, signal)
    return { workspace, ...anew }
  }

  const execute = async (task: AgentTask, context: AgentContext): Promise<AgentResult | AgentWaiting> => {
    const { signal } = context
    signal.throwIfAborted()
    const maxTokens = budgetOf(task) ?? needs.maxBudget
    const mode = await modeOf(task)
    // Only this agent writes checkpoints of its tasks.
    const left = context.checkpoint as CodingCheckpoint | undefined
    const at = await (left ? reopen(task, context, left) : prepare(task, context))
    const { workspace, branch, baseCommit } = at
    const toolbox = openTools({ mode, workspace, userId: task.createdBy, taskId: task.id })
    const setting = { branch, hasRepository: Boolean(task.repository), tools: toolbox.specs }
    const run = await loop({
      messages: left?.messages ?? openingMessages(task, setting),
      ...{ toolbox, signal, maxSteps: Math.max(1, maxSteps - (left?.steps ?? 0)) },
      ...(maxTokens === undefined ? {} : { maxTokens: maxTokens - (left?.usage.totalTokens ?? 0) }),
      onEvent: (event) => {
        context.observe(event)
        const line = progressOf(event)
        if (line) context.progress(line)
      },
    })
    const spent = spentBy(run, left)
    if (run.ended === 'waiting') {
      const names = [...new Set(run.pending.map(({ call }) => call.name))].join(', ')
      const checkpoint = await checkpointOf(run, spent, at, signal)
      return { waitingFor: 'approval', checkpoint, message: `Waiting for approval of ${names}` }
    }
    const changed = await changesIn(workspace, baseCommit, signal)
    const { provider, model } = run
    const { steps, toolCalls, usage } = spent
    const result = { ...changed, branch, baseCommit, steps, toolCalls, usage, provider, model }
    // Another attempt would spend as much again.
    const retryable = run.ended === 'budget' ? { retryable: false } : {}
    return { success: run.ended === 'answered', output: outputOf(run), ...retryable, ...result }
  }

  return {
    ...codingAgentFacts,
    configured: () => models.providers().some(({ configured }) => configured),
    healthCheck: createHealthCheck({ models, git, clock }),
    execute,
  }
}
