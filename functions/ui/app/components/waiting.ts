import type { TaskFields } from '../../../../lib/tasks/schema.ts'
import { formatTime } from './format.ts'
import { providerName } from './provider-name.ts'

type Waits = Pick<TaskFields, 'waitingFor' | 'waiting'>

const DAY_MS = 86_400_000

const words = {
  approval: 'Needs approval',
  hold: 'On hold',
  budget: 'Over budget',
} as const satisfies Record<NonNullable<Waits['waitingFor']>, string>

/** What a task waits for, where there is room for two words. */
export const waitingWord = ({ waitingFor }: Waits): string | undefined => waitingFor && words[waitingFor]

/** An end that is further away is not said: a time of day would be read as today's. */
const untilText = (until: string | undefined, now: number): string =>
  until !== undefined && Date.parse(until) - now < DAY_MS ? ` until ${formatTime(until)}` : ''

/** `Waiting for Anthropic until 2:20 PM`; undefined where a task waits for nothing but its turn. */
export const waitingText = ({ waitingFor, waiting }: Waits, now: number): string | undefined => {
  if (waitingFor === undefined) return undefined
  if (waitingFor === 'approval') return 'Waiting for approval'
  if (waitingFor !== 'hold') return 'Waiting for the budget'
  const provider = waiting?.provider === undefined ? 'its provider' : providerName(waiting.provider)
  return `Waiting for ${provider}${untilText(waiting?.until, now)}`
}
