import type { TaskFields } from '../../../../lib/tasks/schema.ts'
import { formatTime } from './format.ts'
import { providerName } from './provider-name.ts'
import { startOfLine } from './text-weight.ts'

type Waits = Pick<TaskFields, 'waitingFor' | 'waiting'>
type Reason = NonNullable<Waits['waitingFor']>

type Words = {
  /** Where there is room for two words. */
  brief: string
  /** What it waits for, after `Waiting for`. */
  what: (provider: string | undefined) => string
  /** What is in the way, as a sentence. */
  cause: (provider: string | undefined) => string
  /** What happens at the end of the wait, before a time. */
  end: string
}

const words: Readonly<Record<Reason, Words>> = {
  approval: {
    brief: 'Needs approval',
    what: () => 'approval',
    cause: () => 'A tool call needs a decision.',
    end: 'It expires',
  },
  hold: {
    brief: 'On hold',
    what: (provider = 'its provider') => provider,
    cause: (provider = 'Its provider') => `${provider} has reached its usage limit.`,
    end: 'It is tried again',
  },
  budget: {
    brief: 'Over budget',
    what: () => 'the budget',
    cause: () => 'The monthly budget is used up.',
    end: 'The next month begins',
  },
}

const waitingProvider = ({ waiting }: Waits): string | undefined =>
  waiting?.provider === undefined ? undefined : startOfLine(providerName(waiting.provider))

/** What a task waits for, where there is room for two words. */
export const waitingWord = ({ waitingFor }: Waits): string | undefined =>
  waitingFor && words[waitingFor].brief

const DAY_MS = 86_400_000

/** An end that is further away is not said: a time of day would be read as today's. An approval's end is no end of the wait. */
const untilText = ({ waitingFor, waiting }: Waits, now: number): string => {
  const until = waitingFor === 'hold' ? waiting?.until : undefined
  return until !== undefined && Date.parse(until) - now < DAY_MS ? ` until ${formatTime(until)}` : ''
}

/** `Waiting for Anthropic until 2:20 PM`; undefined where a task waits for nothing but its turn. */
export const waitingText = (waits: Waits, now: number): string | undefined =>
  waits.waitingFor &&
  `Waiting for ${words[waits.waitingFor].what(waitingProvider(waits))}${untilText(waits, now)}`

/** Why a task waits, and what happens at the end of the wait: `Anthropic has reached its usage limit.`, `It is tried again`. */
export const waitingSentences = (waiting: NonNullable<Waits['waiting']>): { cause: string; end: string } => {
  const { cause, end } = words[waiting.reason]
  return { cause: cause(waitingProvider({ waiting })), end }
}
