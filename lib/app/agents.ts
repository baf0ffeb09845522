import { createCodingAgent } from '../adapters/agents/coding/agent.ts'
import { loadAdapters } from '../adapters/agents/load.ts'
import { startDemoModel } from '../adapters/models/demo/server.ts'
import { createModels, type ModelNeeds } from '../adapters/models/models.ts'
import { createGit } from '../adapters/node/git.ts'
import { createWorkspaces } from '../adapters/node/workspace.ts'
import { badSetting, type Config } from '../config.ts'
import { messageOf } from '../core/errors.ts'
import type { Masker } from '../core/masker.ts'
import { LOCAL_USER } from '../core/principal.ts'
import type { AgentAdapter, RunProgram } from '../ports/agent.ts'
import type { Breakers } from '../ports/breaker.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Models } from '../ports/model.ts'
import type { Repositories } from '../ports/repositories.ts'
import type { SearchMemory } from '../tools/builtin/memory-search.ts'
import { agentTools } from '../tools/catalog.ts'
import { createLoop } from '../tools/loop.ts'
import { createToolRunner } from '../tools/runner.ts'
import { openPrograms, type Programs } from './sandbox.ts'
import { validateAgents } from './validate-agents.ts'

type Needs = {
  config: Config
  workspacesDir: string
  breakers: Breakers
  clock: Clock
  log: Log
  masker: Masker
  searchMemory: SearchMemory
  /** The port that the service listens on; programs of agents do not reach it. */
  port?: () => number | undefined
  repositories: Repositories
  isLocalMode: () => boolean
}

/** The execution backends: the built-in coding agent, and the modules that the configuration names. */
export const openAgents = async (needs: Needs) => {
  const { config } = needs
  const programs = await openPrograms({ ...needs, port: needs.port ?? (() => undefined) })
  const { models, close: closeModels } = await openModels(needs)
  const { adapter, workspaces, loop, openTools } = codingAgent(needs, models, programs)
  const adapters = [adapter, ...(await loadAdapters(config.AGENT_ADAPTERS))]
  validateAgents(adapters, config.DEFAULT_AGENT)
  const runProgram: RunProgram = async (workspace, ...program) =>
    (await workspaces.open(workspace)).run(...program)
  const close = async () => {
    await closeModels()
    await programs.close()
  }
  return { adapters, runProgram, models, loop, openTools, workspaces, sandbox: programs.standing, close }
}

/** Models of the configured providers. With none, the demo model is started on loopback and answers instead. */
const openModels = async ({ config, breakers, clock, log }: Needs) => {
  const settings = {
    providers: config.providers,
    fallbacks: config.FALLBACK_PROVIDERS,
    ...(config.DEFAULT_PROVIDER ? { default: config.DEFAULT_PROVIDER } : {}),
  }
  const guard = <T>(provider: string, call: () => Promise<T>) => breakers.of(`provider:${provider}`).run(call)
  const real = openConfigured({ settings, clock, log, guard })
  if (real.providers().some(({ configured }) => configured))
    return { models: real, close: async () => undefined }
  if (config.DEFAULT_PROVIDER) {
    throw badSetting(`DEFAULT_PROVIDER: ${config.DEFAULT_PROVIDER} is not configured; give it a key`)
  }
  if (config.SERVICE_MODE === 'pro' && config.DYNAMODB_ENDPOINT === undefined)
    throw badSetting(
      'ANTHROPIC_API_KEY: no model provider is configured, and a deployed service has no demo model',
    )
  const demo = await startDemoModel({ host: '127.0.0.1', port: 0 })
  const models = createModels({
    settings: { ...settings, demo: { baseUrl: demo.baseUrl } },
    clock,
    log,
    guard,
  })
  return { models, close: demo.close }
}

const openConfigured = (needs: ModelNeeds): Models => {
  try {
    return createModels(needs)
  } catch (thrown) {
    throw badSetting(messageOf(thrown))
  }
}

const codingAgent = (
  { config, workspacesDir, clock, masker, searchMemory, repositories, isLocalMode }: Needs,
  models: Models,
  { commands, owner }: Programs,
) => {
  const git = createGit({ commands, caFile: config.GIT_SSL_CAINFO })
  const workspaces = createWorkspaces({ dir: workspacesDir, clock, commands, git, owner })
  const loop = createLoop({ models })
  const openTools = createToolRunner({ tools: agentTools(searchMemory), clock, masker })
  const adapter: AgentAdapter = createCodingAgent({
    models,
    loop,
    openTools,
    workspaces,
    git,
    clock,
    repositories,
    maxBudget: config.TASK_MAX_BUDGET || undefined,
    isLocalAdmin: (userId) => userId === LOCAL_USER && isLocalMode(),
  })
  return { adapter, workspaces, loop, openTools }
}
