import type { TaskFields } from '../../../../lib/tasks/schema.ts'
import { formatNumber, formatTime } from './format.ts'
import { providerName } from './provider-name.ts'
import { startOfLine } from './text-weight.ts'
import { formatDuration } from './time.ts'

type Waits = Pick<TaskFields, 'waitingFor' | 'waiting'>
type Reason = NonNullable<Waits['waitingFor']>
type Waiting = Partial<NonNullable<Waits['waiting']>>

type Words = {
  /** Where there is room for two words; absent where the state of the task says as much. */
  brief?: string
  /** What it waits for, after `Waiting for`. */
  what: (waiting: Waiting) => string
  /** What is in the way, as a sentence. */
  cause: (waiting: Waiting) => string
  /** What happens at the end of the wait, before a time; absent where no time is known. */
  end?: string
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
    what: (waiting) => providerIn(waiting) ?? 'its provider',
    cause: (waiting) => `${providerIn(waiting) ?? 'Its provider'} has reached its usage limit.`,
    end: 'Next try',
  },
  budget: {
    brief: 'Over budget',
    what: () => 'the budget',
    cause: () => 'The monthly budget is used up.',
    end: 'The next month begins',
  },
  runner: {
    brief: 'No runner',
    what: (waiting) => `a runner${reasonIn(waiting)}`,
    cause: (waiting) => `Waiting for a runner${reasonIn(waiting)}.`,
  },
  slot: {
    what: (waiting) => `a slot${placeIn(waiting)}${reasonIn(waiting)}`,
    cause: (waiting) => `Waiting for a slot${placeIn(waiting)}${reasonIn(waiting)}.`,
  },
  schedule: {
    what: () => 'its next attempt',
    cause: () => 'Waiting for its next attempt.',
    end: 'It starts',
  },
}

const providerIn = ({ provider }: Waiting): string | undefined =>
  provider === undefined ? undefined : startOfLine(providerName(provider))

const reasonIn = ({ message }: Waiting): string => (message === undefined ? '' : `: ${startOfLine(message)}`)

const placeIn = ({ position }: Waiting): string => (position === undefined ? '' : `, ${ordinal(position)}`)

const endings: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' }
const rules = new Intl.PluralRules('en', { type: 'ordinal' })

/** `5th`, as the words of the page are English in every locale. */
const ordinal = (place: number): string => `${formatNumber(place)}${endings[rules.select(place)] ?? 'th'}`

const withCapital = (text: string): string => text.replace(/^./u, (letter) => letter.toUpperCase())

/** `4th in line`, of a task that waits for a slot. */
export const placeInLine = ({ position }: Waiting): string =>
  position === undefined ? 'In line' : `${ordinal(position)} in line`

/** What a task waits for, where there is room for two words. */
export const waitingWord = ({ waitingFor }: Pick<Waits, 'waitingFor'>): string | undefined =>
  waitingFor && words[waitingFor].brief

const DAY_MS = 86_400_000

/** An end that is further away is not said: a time of day would be read as today's. An approval's end is no end of the wait. */
const untilText = ({ waitingFor, waiting }: Waits, now: number): string => {
  const until = waitingFor === 'hold' || waitingFor === 'schedule' ? waiting?.until : undefined
  return until !== undefined && Date.parse(until) - now < DAY_MS ? ` until ${formatTime(until)}` : ''
}

/** `Waiting for Anthropic until 14:20`, `No runner has gpu`; undefined where a task waits for nothing. */
export const waitingText = (waits: Waits, now: number): string | undefined => {
  const { waitingFor, waiting } = waits
  if (waitingFor === undefined) return undefined
  // The message of this reason is a sentence of its own.
  if (waitingFor === 'runner' && waiting?.message !== undefined)
    return withCapital(startOfLine(waiting.message))
  return `Waiting for ${words[waitingFor].what(waiting ?? {})}${untilText(waits, now)}`
}

/** `4th in line`, `waiting 3m`: what the state beside it leaves open. */
export const waitBesideState = (waits: Waits, now: number): string | undefined => {
  const { waitingFor, waiting } = waits
  if (waitingFor === 'slot') return placeInLine(waiting ?? {})
  if (waitingFor === 'approval' && waiting)
    return `waiting ${formatDuration(now - Date.parse(waiting.since))}`
  return waitingText(waits, now)
}

/** Why a task waits, and what happens at the end of the wait: `Anthropic has reached its usage limit.`, `Next try`. */
export const waitingSentences = (
  waiting: NonNullable<Waits['waiting']>,
): { cause: string; end?: string | undefined } => {
  const { cause, end } = words[waiting.reason]
  return { cause: cause(waiting), end }
}
