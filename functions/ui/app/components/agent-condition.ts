import type { Agent } from '../../../../lib/agents/schema.ts'
import type { BreakerReading } from '../../../../lib/health/schema.ts'
import type { Tone } from './tag.tsx'

type Condition = 'healthy' | 'unconfigured' | 'failing' | 'unhealthy'

/** How tasks of an agent ended in the last 24 hours. */
export type Ends = { completed: number; failed: number }

/** How an agent is, in a word, and what to do about it. */
export const conditions: Readonly<Record<Condition, { says: string; tone: Tone; advice?: string }>> = {
  healthy: { says: 'Healthy', tone: 'good' },
  unconfigured: {
    says: 'Not configured',
    tone: 'warn',
    advice:
      'Set what it needs in the environment of the service (.env.example names it all) and start it again.',
  },
  failing: {
    says: 'Failing',
    tone: 'bad',
    advice: 'It answers, and most of its tasks fail: the failures have the causes.',
  },
  unhealthy: {
    says: 'Unhealthy',
    tone: 'bad',
    advice: 'Its tasks fail until this is mended. Mend it, then check again.',
  },
}

const REFUSED =
  'It failed too often in a row to be asked now. It is left alone for a moment, then asked once more by itself.'

/** Fewer failures say little. */
const LEAST_FAILED = 5

/** Its own check decides, then how its tasks ended: an agent whose tasks mostly fail is not called healthy. */
export const conditionOf = ({ configured, healthy }: Agent, ends: Ends | undefined): Condition => {
  if (!configured) return 'unconfigured'
  if (!healthy) return 'unhealthy'
  return ends && ends.failed >= LEAST_FAILED && ends.failed > ends.completed ? 'failing' : 'healthy'
}

export const adviceOf = (
  agent: Agent,
  ends: Ends | undefined,
  breaker: BreakerReading | undefined,
): string | undefined => {
  const { advice } = conditions[conditionOf(agent, ends)]
  return agent.configured && breaker?.state === 'OPEN' ? REFUSED : advice
}
