import { codingAgentFacts } from '../adapters/agents/coding/facts.ts'
import { loadAdapters } from '../adapters/agents/load.ts'
import { createClock } from '../adapters/node/clock.ts'
import type { Config } from '../config.ts'
import type { AgentAdapter } from '../ports/agent.ts'
import { createProviderCheck } from './cloud-providers.ts'
import { validateAgents } from './validate-agents.ts'

/** The agents as functions that run none of them know them: by their facts, and whether they are configured. */
export const describeAgents = async (config: Config): Promise<AgentAdapter[]> => {
  const { configured, look } = createProviderCheck(config, createClock())
  const codingAgent: AgentAdapter = {
    ...codingAgentFacts,
    configured,
    healthCheck: async () => {
      await look()
      return configured() ? { healthy: true } : { healthy: false, message: 'No model provider is configured' }
    },
    execute: async () => {
      throw new Error('Agents run in the worker function')
    },
  }
  const adapters = [codingAgent, ...(await loadAdapters(config.AGENT_ADAPTERS))]
  validateAgents(adapters, config.DEFAULT_AGENT)
  return adapters
}
