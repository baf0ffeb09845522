import { createCodingAgent } from '../adapters/agents/coding/agent.ts'
import { loadAdapters } from '../adapters/agents/load.ts'
import { startDemoModel } from '../adapters/models/demo/server.ts'
import { createModels } from '../adapters/models/models.ts'
import { createCommands } from '../adapters/node/command.ts'
import { createGit } from '../adapters/node/git.ts'
import { findIsolation } from '../adapters/node/isolation.ts'
import { createWorkspaces } from '../adapters/node/workspace.ts'
import { badSetting, type Config } from '../config.ts'
import { MASKED } from '../core/redact.ts'
import type { AgentAdapter } from '../ports/agent.ts'
import type { Breakers } from '../ports/breaker.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Models } from '../ports/model.ts'
import type { SearchMemory } from '../tools/builtin/memory-search.ts'
import { agentTools } from '../tools/catalog.ts'
import { createLoop } from '../tools/loop.ts'
import { createToolRunner } from '../tools/runner.ts'
import { refuseUnfit } from './unfit.ts'

type Needs = {
  config: Config
  workspacesDir: string
  breakers: Breakers
  clock: Clock
  log: Log
  searchMemory: SearchMemory
}

/** The execution backends: the built-in coding agent, and the modules that the configuration names. */
export const openAgents = async (needs: Needs) => {
  const { config } = needs
  const { models, close } = await openModels(needs)
  const adapters = [await codingAgent(needs, models), ...(await loadAdapters(config.AGENT_ADAPTERS))]
  refuseUnfit(adapters, config.DEFAULT_AGENT)
  return { adapters, models, close }
}

/** Models of the configured providers. With none, the demo model is started on loopback and answers instead. */
const openModels = async ({ config, breakers, clock, log }: Needs) => {
  const settings = {
    providers: config.providers,
    ...(config.DEFAULT_PROVIDER ? { default: config.DEFAULT_PROVIDER } : {}),
  }
  const guard = <T>(provider: string, call: () => Promise<T>) => breakers.of(`provider:${provider}`).run(call)
  const real = createModels({ settings, clock, log, guard })
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

const codingAgent = async (
  { config, workspacesDir, clock, log, searchMemory }: Needs,
  models: Models,
): Promise<AgentAdapter> => {
  const isolation = await findIsolation(createCommands({ path: config.PATH }), '/')
  if (isolation.length === 0)
    log.warn({}, 'no user namespaces here: programs that agents run see other processes')
  const commands = createCommands({ path: config.PATH, isolation })
  const git = createGit({ commands })
  return createCodingAgent({
    models,
    loop: createLoop({ models }),
    openTools: createToolRunner({ tools: agentTools(searchMemory), clock, mask: secretMask(config) }),
    workspaces: createWorkspaces({ dir: workspacesDir, clock, commands, git }),
    git,
    clock,
    repositories: { base: 'https://github.com/', local: true },
  })
}

/** Takes the configured secrets out of what tools return, should an agent come upon one. */
const secretMask = (config: Config) => {
  const secrets = Object.values(config.providers).flatMap(({ apiKey }) => (apiKey ? [apiKey] : []))
  return (text: string) => secrets.reduce((masked, secret) => masked.replaceAll(secret, MASKED), text)
}
