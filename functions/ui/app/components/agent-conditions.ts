import type { Agent } from '../../../../lib/agents/schema.ts'
import { useRecentOutcomes } from '../data/analytics.ts'
import { useHolds } from '../data/holds.ts'
import { agentCondition } from './agent-condition.ts'

/** The condition of an agent by its health, its recent outcomes and the holds of its providers. */
export const useAgentConditions = () => {
  const { queries, getOutcomes } = useRecentOutcomes()
  const { data: holds } = useHolds(true)
  const getCondition = (agent: Agent) => agentCondition(agent, getOutcomes(agent), holds)
  return { queries, getOutcomes, getCondition }
}
