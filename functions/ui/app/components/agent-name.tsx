import { useAgentName } from '../data/agents.ts'
import { startOfLine } from './text-weight.ts'

/** An agent by its name; by its type until that is known, and where the agent is gone. */
export const AgentName = ({ type }: { type: string }) => {
  const agentName = useAgentName()
  return <span title={type}>{startOfLine(agentName(type))}</span>
}
