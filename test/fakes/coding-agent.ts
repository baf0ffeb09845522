import { createCodingAgent } from '../../lib/adapters/agents/coding/agent.ts'
import type { RepositoryRules } from '../../lib/adapters/agents/coding/repository.ts'
import type { AgentTask } from '../../lib/ports/agent.ts'
import { createLoop } from '../../lib/tools/loop.ts'
import type { createScriptedModels } from './scripted-models.ts'
import type { Workbench } from './workbench.ts'

type More = { repositories?: Partial<RepositoryRules>; maxSteps?: number }

export const task = (more: Partial<AgentTask> = {}): AgentTask => ({
  ...{ id: 'task_1', title: 'Write notes', prompt: 'Do it', labels: [], createdBy: 'user_1' },
  ...more,
})

/** The coding agent with real tools, files, processes and git, and a scripted model. */
export const createAgentOn = (
  bench: Workbench,
  models: ReturnType<typeof createScriptedModels>,
  { repositories, ...more }: More = {},
) => {
  const { workspaces, git, clock } = bench
  const agent = createCodingAgent({
    ...{ models, loop: createLoop({ models }), openTools: bench.runner(), workspaces, git, clock },
    repositories: { base: `file://${bench.folder}/hosted/`, local: true, ...repositories },
    ...more,
  })
  const progress: string[] = []
  const run = (about: Partial<AgentTask> = {}, signal = new AbortController().signal, attempt = 1) =>
    agent.execute(task(about), { signal, attempt, progress: (line) => void progress.push(line) })
  return { agent, run, progress }
}
