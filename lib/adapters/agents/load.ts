import * as path from 'node:path'
import { pathToFileURL } from 'node:url'
import * as z from 'zod'
import { LONGEST_ATTEMPT_MS, SHORTEST_ATTEMPT_MS } from '../../core/attempt-limit.ts'
import { badSetting } from '../../core/bad-setting.ts'
import { errorMessage } from '../../core/errors.ts'
import type { AgentAdapter } from '../../ports/agent.ts'
import { attributedAdapter, type Owner, withinAgent } from './stray-errors.ts'

const operation = z.custom<unknown>((value) => typeof value === 'function', 'must be a function')
const AdapterShape = z.looseObject({
  type: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, 'must be lowercase words joined by hyphens'),
  name: z.string().min(1),
  description: z.string(),
  capabilities: z.array(z.string()),
  canResume: z.boolean().optional(),
  timeoutMs: z.int().min(SHORTEST_ATTEMPT_MS).max(LONGEST_ATTEMPT_MS).optional(),
  healthCheck: operation,
  execute: operation,
})

type Settings = { AGENT_ADAPTERS: readonly string[]; DEFAULT_AGENT: string }

/**
 * Every agent of the installation: those built in, and those of modules. Throws Problem `bad_setting` for a module
 * without a valid adapter, for agents with the same type, and for an unknown default agent.
 */
export const loadAgents = async (
  builtIn: readonly AgentAdapter[],
  { AGENT_ADAPTERS: modules, DEFAULT_AGENT: fallback }: Settings,
): Promise<AgentAdapter[]> => {
  refuseSameTypes(builtIn, 'ACP_AGENTS or COMMAND_AGENTS')
  const agents = [...builtIn, ...(await loadAdapters(modules))]
  refuseSameTypes(agents, 'AGENT_ADAPTERS')
  const types = agents.map(({ type }) => type)
  if (!types.includes(fallback))
    throw badSetting(`DEFAULT_AGENT: ${fallback} must be one of ${types.join(', ')}`)
  return agents
}

const refuseSameTypes = (agents: readonly AgentAdapter[], setting: string): void => {
  const types = agents.map(({ type }) => type)
  const twice = types.find((type, at) => types.indexOf(type) !== at)
  if (twice !== undefined) throw badSetting(`${setting}: two agents are of type ${twice}`)
}

/** The agents of `loadAgents`, loaded at the first call; a failed call is tried again. */
export const lazyAgents = (
  builtIn: () => Promise<readonly AgentAdapter[]>,
  settings: Settings,
): (() => Promise<AgentAdapter[]>) => {
  let loaded: Promise<AgentAdapter[]> | undefined
  return () => {
    loaded ??= builtIn()
      .then((own) => loadAgents(own, settings))
      .catch((thrown) => {
        loaded = undefined
        throw thrown
      })
    return loaded
  }
}

/** Loads the modules in `AGENT_ADAPTERS`, relative to the working directory. Throws Problem `bad_setting` that names one. */
const loadAdapters = async (modulePaths: readonly string[]): Promise<AgentAdapter[]> => {
  const loaded = await Promise.all(modulePaths.map(loadModule))
  return loaded.flat()
}

const loadModule = (modulePath: string): Promise<AgentAdapter[]> => {
  const owner: Owner = { agent: modulePath }
  return withinAgent(owner, () => importAdapters(modulePath, owner))
}

const importAdapters = async (modulePath: string, owner: Owner): Promise<AgentAdapter[]> => {
  const exported = await importDefault(modulePath)
  const adapters: unknown[] = Array.isArray(exported) ? exported : [exported]
  for (const adapter of adapters) {
    const { error } = AdapterShape.safeParse(adapter)
    if (error)
      throw badModule(
        modulePath,
        error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('; '),
      )
  }
  // Their shape was checked above.
  const checked = adapters as AgentAdapter[]
  owner.agent = checked.map(({ type }) => type).join(', ') || modulePath
  return checked.map(attributedAdapter)
}

const importDefault = async (modulePath: string): Promise<unknown> => {
  try {
    const module_ = (await import(pathToFileURL(path.resolve(modulePath)).href)) as { default?: unknown }
    return module_.default
  } catch (thrown) {
    throw badModule(modulePath, errorMessage(thrown, 300))
  }
}

const badModule = (modulePath: string, reason: string) =>
  badSetting(`AGENT_ADAPTERS: ${modulePath}: ${reason}`)
