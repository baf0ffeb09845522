import type { Agent } from '../../../../lib/agents/schema.ts'
import type { BreakerReading } from '../../../../lib/health/schema.ts'
import { canRun, isOnDemo } from '../data/agents.ts'
import type { Tone } from './tag.tsx'

export type Condition = 'healthy' | 'demo' | 'unconfigured' | 'unassigned' | 'held' | 'failing' | 'unhealthy'

type Outcomes = { completed: number; failed: number }

export type RecentOutcomes = { hour: Outcomes; day: Outcomes }

export const conditions: Readonly<Record<Condition, { label: string; tone: Tone; advice?: string }>> = {
  healthy: { label: 'Ready', tone: 'good' },
  demo: { label: 'Demo', tone: 'plain' },
  unconfigured: {
    label: 'Not set up',
    tone: 'warn',
    advice: 'Set its environment variables (see .env.example) and restart the service.',
  },
  unassigned: {
    label: 'No runner',
    tone: 'warn',
    advice: 'The service does not run tasks (WORKER=off), and no available runner has this agent.',
  },
  held: {
    label: 'On hold',
    tone: 'warn',
    advice: 'The usage limit of its provider is reached. Its tasks wait until it resets.',
  },
  failing: {
    label: 'Failing',
    tone: 'bad',
    advice: 'It responds, but most of its tasks fail. See Failures for the causes.',
  },
  unhealthy: {
    label: 'Unhealthy',
    tone: 'bad',
    advice: 'Its tasks fail until you fix this.',
  },
}

const REFUSED = 'Too many failures in a row: calls are paused for a moment, then retried automatically.'

/** Fewer failures do not make an agent `failing`. */
const LEAST_FAILED = 5

const NOTABLE_RATE = 0.2

/** The share of failed tasks, where it is notable; undefined otherwise. */
export const notableFailureRate = ({ completed, failed }: Outcomes): number | undefined => {
  const rate = failed / (completed + failed)
  return failed >= LEAST_FAILED && rate >= NOTABLE_RATE ? rate : undefined
}

/** The command in a health message: `in backticks`, or what follows `run`. */
export const commandToMend = (message = ''): string | undefined =>
  /`([^`]+)`/.exec(message)?.[1] ?? /\brun (\S.*?)\.?$/i.exec(message)?.[1]

const isMostlyFailed = ({ completed, failed }: Outcomes) => failed >= LEAST_FAILED && failed > completed

/** The window in which most tasks failed. The last hour is checked by itself: the rest of the day can outweigh it. */
export const failingTime = ({ hour, day }: RecentOutcomes) => {
  if (isMostlyFailed(hour)) return { label: 'hour', ...hour }
  return isMostlyFailed(day) ? { label: '24 hours', ...day } : undefined
}

type Held = readonly { provider: string }[]

const isHeld = ({ providers = [] }: Pick<Agent, 'providers'>, holds: Held) =>
  providers.length > 0 && providers.every((name) => holds.some(({ provider }) => provider === name))

type Places = Pick<Agent, 'configured' | 'inService' | 'runners'>

/**
 * A hold explains what the health check says. That decides next, then recent outcomes: an agent whose tasks mostly fail is not healthy.
 * Undefined until the outcomes are loaded.
 */
export const agentCondition = (
  agent: Places & Pick<Agent, 'healthy' | 'providers'>,
  outcomes: RecentOutcomes | undefined,
  holds: Held = [],
): Condition | undefined => {
  if (!agent.configured) return 'unconfigured'
  if (!canRun(agent)) return 'unassigned'
  if (isHeld(agent, holds)) return 'held'
  // The service checks what it runs itself; of a runner's agents only the outcomes are known.
  if (agent.inService && !agent.healthy) return 'unhealthy'
  if (!outcomes) return undefined
  if (failingTime(outcomes)) return 'failing'
  return isOnDemo(agent) ? 'demo' : 'healthy'
}

export const agentAdvice = (
  agent: Agent,
  condition: Condition | undefined,
  breaker: BreakerReading | undefined,
): string | undefined => {
  const advice = condition && conditions[condition].advice
  return agent.inService && breaker?.state === 'OPEN' ? REFUSED : advice
}
