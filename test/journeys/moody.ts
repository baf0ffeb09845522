import { rmSync, writeFileSync } from 'node:fs'
import type { Mood } from '../fixtures/agents/moody.ts'
import { agentWorld } from './agent-world.ts'
import type { Environment } from './service.ts'

/** Settings of a service whose agent fails as often as its task says, while it is not cured. */
export const moodyWorld = (more: Environment = {}) => {
  const { folder, env: settings } = agentWorld('moody')
  const cure = folder.in('cure')
  const env: Environment = { ...settings, MOODY_CURE: cure, QUEUE_RETRY_BACKOFF_MS: '1', ...more }
  return {
    env,
    cure: () => writeFileSync(cure, ''),
    relapse: () => rmSync(cure, { force: true }),
    [Symbol.dispose]: folder[Symbol.dispose],
  }
}

/** The body of a create whose agent is in this mood. */
export const moodyTask = (title: string, mood: Mood = {}) => ({
  title,
  assignedAgent: 'moody',
  metadata: mood,
})
