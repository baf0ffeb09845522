import { writeFileSync } from 'node:fs'
import * as path from 'node:path'
import type { Mood } from '../fixtures/agents/moody.ts'
import { type Environment, root, temporaryFolder } from './service.ts'

/** Settings of a service whose agent fails as often as its task says, until it is cured. */
export const moodyWorld = (more: Environment = {}) => {
  const folder = temporaryFolder()
  const cure = folder.in('cure')
  const env: Environment = {
    DATA_DIR: folder.in('data'),
    AGENT_ADAPTERS: path.join(root, 'test/fixtures/agents/moody.ts'),
    DEFAULT_AGENT: 'moody',
    MOODY_CURE: cure,
    QUEUE_RETRY_BACKOFF_MS: '1',
    ...more,
  }
  return { env, cure: () => writeFileSync(cure, ''), [Symbol.dispose]: folder[Symbol.dispose] }
}

/** The body of a create whose agent is in this mood. */
export const moodyTask = (title: string, mood: Mood = {}) => ({ title, metadata: mood })
