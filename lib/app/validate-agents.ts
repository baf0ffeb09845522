import { badSetting } from '../config.ts'
import type { AgentAdapter } from '../ports/agent.ts'

/** Throws Problem `bad_setting` for agents that share a type, and for a default that is none of them. */
export const validateAgents = (adapters: readonly AgentAdapter[], fallback: string) => {
  const types = adapters.map(({ type }) => type)
  const twice = types.find((type, at) => types.indexOf(type) !== at)
  if (twice !== undefined) throw badSetting(`AGENT_ADAPTERS: two adapters are of type ${twice}`)
  if (!types.includes(fallback)) throw badSetting(`DEFAULT_AGENT: ${fallback} is none of ${types.join(', ')}`)
}
