import type { Agent } from '../../../../lib/agents/schema.ts'
import type { BreakerReading } from '../../../../lib/health/schema.ts'
import type { Tone } from './tag.tsx'

export type Condition = 'healthy' | 'unconfigured' | 'failing' | 'unhealthy'

type Outcomes = { completed: number; failed: number }

export type RecentOutcomes = { hour: Outcomes; day: Outcomes }

export const conditions: Readonly<Record<Condition, { label: string; tone: Tone; advice?: string }>> = {
  healthy: { label: 'Healthy', tone: 'good' },
  unconfigured: {
    label: 'Not configured',
    tone: 'warn',
    advice:
      'Set what it needs in the environment of the service (.env.example names it all) and start it again.',
  },
  failing: {
    label: 'Failing',
    tone: 'bad',
    advice: 'It answers, and most of its tasks fail: the failures have the causes.',
  },
  unhealthy: {
    label: 'Unhealthy',
    tone: 'bad',
    advice: 'Its tasks fail until this is mended. Mend it, then check again.',
  },
}

const REFUSED =
  'It failed too often in a row to be asked now. It is left alone for a moment, then asked once more by itself.'

/** Fewer failures do not make an agent `failing`. */
const LEAST_FAILED = 5

const isMostlyFailed = ({ completed, failed }: Outcomes) => failed >= LEAST_FAILED && failed > completed

/** The window in which most tasks failed. The last hour is checked by itself: the rest of the day can outweigh it. */
export const failingTime = ({ hour, day }: RecentOutcomes) => {
  if (isMostlyFailed(hour)) return { label: 'hour', ...hour }
  return isMostlyFailed(day) ? { label: '24 hours', ...day } : undefined
}

/**
 * The health check decides first, then recent outcomes: an agent whose tasks mostly fail is not healthy. Undefined until the outcomes are
 * loaded.
 */
export const agentCondition = (
  { configured, healthy }: Agent,
  outcomes: RecentOutcomes | undefined,
): Condition | undefined => {
  if (!configured) return 'unconfigured'
  if (!healthy) return 'unhealthy'
  if (!outcomes) return undefined
  return failingTime(outcomes) ? 'failing' : 'healthy'
}

export const agentAdvice = (
  agent: Agent,
  condition: Condition | undefined,
  breaker: BreakerReading | undefined,
): string | undefined => {
  const advice = condition && conditions[condition].advice
  return agent.configured && breaker?.state === 'OPEN' ? REFUSED : advice
}
