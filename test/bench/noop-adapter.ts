import type { AgentAdapter } from '../../lib/ports/agent.ts'
import { recordStarts } from './starts.ts'

const started = recordStarts(process.env.BENCH_STARTS_FILE ?? '/dev/null')

/** An agent that does nothing: what is left of a run's cost is the service's own. */
const noop: AgentAdapter = {
  type: 'noop',
  name: 'No-op',
  description: 'Completes at once, for the benchmark',
  capabilities: ['bench'],
  healthCheck: async () => ({ healthy: true }),
  execute: async (task) => {
    started(task.id)
    return { success: true, output: 'done' }
  },
}

export default noop
