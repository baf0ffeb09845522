import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentAdapter } from '../../../lib/ports/agent.ts'
import { machineMs } from '../starts.ts'

/** An agent that answers with the moment at which it began, and first sends as many events as its task asks for. */
const bench: AgentAdapter = {
  type: 'noop',
  name: 'No-op',
  description: 'For the benchmark',
  capabilities: ['bench'],
  healthCheck: async () => ({ healthy: true }),
  execute: async ({ prompt = '{}' }, { observe }) => {
    const startedMs = machineMs()
    const { events = 0, perS = 50 } = JSON.parse(prompt) as { events?: number; perS?: number }
    for (let sent = 0; sent < events; sent += 1) {
      observe({ type: 'text', step: 1, text: `sent ${machineMs()};` })
      await sleep(Math.max(0, startedMs + ((sent + 1) * 1_000) / perS - machineMs()))
    }
    return { success: true, output: String(startedMs) }
  },
}

export default bench
