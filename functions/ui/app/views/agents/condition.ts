import type { Agent } from '../../../../../lib/agents/schema.ts'
import type { BreakerReading } from '../../../../../lib/health/schema.ts'
import type { Tone } from '../../components/tag.tsx'

type Condition = 'healthy' | 'unconfigured' | 'unhealthy'

/** How an agent is, in a word, and what to do about it. */
export const conditions: Readonly<Record<Condition, { says: string; tone: Tone; advice?: string }>> = {
  healthy: { says: 'Healthy', tone: 'good' },
  unconfigured: {
    says: 'Not configured',
    tone: 'warn',
    advice:
      'Set what it needs in the environment of the service (.env.example names it all) and start it again.',
  },
  unhealthy: {
    says: 'Unhealthy',
    tone: 'bad',
    advice: 'Its tasks fail until this is mended. Mend it, then check again.',
  },
}

const REFUSED =
  'It failed too often in a row to be asked now. It is left alone for a moment, then asked once more by itself.'

export const conditionOf = ({ configured, healthy }: Agent): Condition => {
  if (!configured) return 'unconfigured'
  return healthy ? 'healthy' : 'unhealthy'
}

export const adviceOf = (agent: Agent, breaker: BreakerReading | undefined): string | undefined => {
  const { advice } = conditions[conditionOf(agent)]
  return agent.configured && breaker?.state === 'OPEN' ? REFUSED : advice
}
