import { createCodingAgent } from '../../lib/adapters/agents/coding/agent.ts'
import { createRepositories } from '../../lib/adapters/node/repositories.ts'
import type { Cost } from '../../lib/core/cost.ts'
import type { AgentContext, AgentTask } from '../../lib/ports/agent.ts'
import type { LoopEvent } from '../../lib/ports/tool.ts'
import { workspaceName } from '../../lib/ports/workspace.ts'
import { createLoop } from '../../lib/tools/loop.ts'
import type { createScriptedModels } from './scripted-models.ts'
import type { Workbench } from './workbench.ts'

type Rules = Partial<Parameters<typeof createRepositories>[0]>
type Agent = Parameters<typeof createCodingAgent>[0]
type More = Partial<
  Pick<Agent, 'maxSteps' | 'maxBudget' | 'approvalTtlMs' | 'openTools' | 'publication' | 'guide'>
> & {
  repositories?: Rules
  isLocalAdmin?: boolean
}

export const task = (more: Partial<AgentTask> = {}): AgentTask => ({
  id: 'task_1',
  title: 'Write notes',
  prompt: 'Do it',
  labels: [],
  createdBy: 'user_1',
  ...more,
})

/** The coding agent with real tools, files, processes and git, and a scripted model. */
export const createAgentOn = (
  bench: Workbench,
  models: ReturnType<typeof createScriptedModels>,
  { repositories, isLocalAdmin = true, ...more }: More = {},
) => {
  const { workspaces, git, clock } = bench
  const agent = createCodingAgent({
    models,
    loop: createLoop({ models }),
    openTools: bench.runner(),
    workspaces,
    git,
    clock,
    repositories: createRepositories({
      clock,
      allow: [],
      roots: [],
      base: `file://${bench.folder}/hosted/`,
      ...repositories,
    }),
    isLocalAdmin: () => isLocalAdmin,
    ...more,
  })
  const progress: string[] = []
  const observed: LoopEvent[] = []
  const secrets: string[] = []
  const costs: Cost[] = []
  const execute = (
    about: Partial<AgentTask> = {},
    { signal = new AbortController().signal, attempt = 1, ...rest }: Partial<AgentContext> = {},
  ) =>
    agent.execute(task(about), {
      waitFor: (_call, work) => work(),
      ...rest,
      signal,
      attempt,
      workspace: workspaceName(about.id ?? 'task_1', attempt),
      progress: (line) => void progress.push(line),
      keepSecret: (secret) => void secrets.push(secret),
      observe: (event) => void observed.push(event),
      spent: (cost) => void costs.push(cost),
      run: () => Promise.reject(new Error('the coding agent has tools of its own')),
      ...rest,
    })
  /** A run that waits for no decision. */
  const run = async (
    about?: Partial<AgentTask>,
    signal?: AbortSignal,
    attempt?: number,
    context: Partial<AgentContext> = {},
  ) => {
    const result = await execute(about, {
      ...(signal && { signal }),
      ...(attempt && { attempt }),
      ...context,
    })
    if ('waitingFor' in result) throw new Error('The run waits for a decision')
    return result
  }
  return { agent, execute, run, progress, observed, secrets, costs }
}
