import type { AgentAdapter } from '../../lib/ports/agent.ts'
import { recordStarts } from './starts.ts'

const { BENCH_STARTS_FILE } = process.env
if (BENCH_STARTS_FILE === undefined) throw new Error('BENCH_STARTS_FILE: set it to a file that is replaced')
const started = recordStarts(BENCH_STARTS_FILE)

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
