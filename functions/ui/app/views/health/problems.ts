import type { LinkProps } from '@tanstack/react-router'
import type { Components, HealthStatus } from '../../../../../lib/health/schema.ts'
import { isMissing } from '../../components/runner-words.ts'

export const titles: Readonly<Record<keyof Components, string>> = {
  queue: 'Queue',
  adapters: 'Agents',
  circuitBreakers: 'Circuit breakers',
  deadLetterQueue: 'Dead letters',
  runners: 'Runners',
  sandbox: 'Sandbox',
}

type Cure = { to: NonNullable<LinkProps['to']>; leads: string; advice: string }

/** Where each component is mended, and how. */
const cures: Readonly<Record<keyof Components, Cure>> = {
  queue: {
    to: '/tasks/queue',
    leads: 'Queue',
    advice:
      'Tasks arrive faster than they run. Check the running tasks, or raise the concurrency under Settings, Installation.',
  },
  adapters: { to: '/agents', leads: 'Agents', advice: 'Agents says what each one needs.' },
  circuitBreakers: {
    to: '/agents',
    leads: 'Agents',
    advice: 'After too many failures in a row, calls are paused and then retried automatically.',
  },
  deadLetterQueue: {
    to: '/tasks/queue',
    leads: 'Dead letters',
    advice: 'Retry those with a fixed cause, and discard the rest.',
  },
  runners: { to: '/agents', leads: 'Runners', advice: 'Set up an agent, or start a runner.' },
  sandbox: {
    to: '/agents',
    leads: 'Agents',
    advice: 'Use only models and repositories that you trust, or set up the sandbox (AGENT_SANDBOX).',
  },
}

export type Problem = Cure & { id: string; status: HealthStatus; text: string }

/** `A`, `A and B`, `A, B and C` */
const inWords = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

const are = (names: readonly string[], words: string) =>
  `${inWords(names)} ${names.length === 1 ? 'is' : 'are'} ${words}.`

const problemText = (name: keyof Components, components: Components): string => {
  const unhealthy = components.adapters.adapters.filter(({ healthy }) => !healthy).map((one) => one.name)
  if (name === 'adapters' && unhealthy.length > 0) return are(unhealthy, 'unhealthy')
  return `${titles[name]}: ${components[name]?.message}.`
}

/** What is wrong, the worst first. A runner that is offline is named, though the service works without it. */
export const problemsIn = (components: Components): readonly Problem[] => {
  const missing = components.runners.runners.filter(isMissing).map(({ name }) => name)
  const found = (Object.keys(titles) as (keyof Components)[]).flatMap((name): Problem[] => {
    const { status = 'healthy' } = components[name] ?? {}
    return status === 'healthy'
      ? []
      : [{ id: name, status, text: problemText(name, components), ...cures[name] }]
  })
  if (missing.length > 0)
    found.push({
      ...cures.runners,
      id: 'offline',
      status: 'degraded',
      text: are(missing, 'offline'),
      advice: 'Start it again. Drain or remove a runner that is away on purpose.',
    })
  return found.toSorted((a, b) => Number(b.status === 'unhealthy') - Number(a.status === 'unhealthy'))
}
