import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentAdapter } from '../../../lib/ports/agent.ts'

/** What a task's `metadata` may ask of this agent: progress events, time, or a failure, for good or not. */
export type Wish = { progress?: number; runMs?: number; fails?: 'once' | 'forever' }

const PAUSE_MS = 20

/** An agent that does next to nothing: what is left of a run's cost is the service's own. */
const bench: AgentAdapter = {
  type: 'bench',
  name: 'Bench',
  description: 'Does next to nothing',
  capabilities: ['bench'],
  healthCheck: async () => ({ healthy: true }),
  execute: async ({ metadata }, { attempt, signal, progress }) => {
    const { progress: steps = 0, runMs = 0, fails } = (metadata ?? {}) as Wish
    for (let step = 1; step <= steps; step += 1) {
      progress(`step ${step} of ${steps}`)
      await sleep(PAUSE_MS)
    }
    if (runMs > 0) await sleep(runMs, undefined, { signal })
    if (fails === 'forever') throw Object.assign(new Error('in vain'), { retryable: false })
    if (fails === 'once' && attempt === 1) throw new Error('not yet')
    return { success: true, output: 'Done.' }
  },
}

export default bench
