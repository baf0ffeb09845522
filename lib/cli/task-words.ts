import { runTimeMs } from '../core/run-time.ts'
import type { Task } from '../tasks/schema.ts'
import { safeLine } from './terminal.ts'

type Waiting = Partial<NonNullable<Task['waiting']>>

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** A duration in its two largest units, `2h 5m`; of less than a second in milliseconds. */
const shortDuration = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)}ms`
  const at = UNITS.findIndex(([, size]) => ms >= size)
  return UNITS.slice(at, at + 2)
    .map(([name, size], place) => [name, Math.floor((place === 0 ? ms : ms % (UNITS[at]?.[1] ?? 1)) / size)])
    .filter(([, count]) => count !== 0)
    .map(([name, count]) => `${count}${name}`)
    .join(' ')
}

/** How long a task has run, without its waits; nothing before its start. */
export const runDuration = (task: Task, now: number): string =>
  task.startedAt === undefined ? '' : shortDuration(runTimeMs(task, now))

/** The minute in the terminal's time zone: `2026-01-31 17:05`. */
export const minuteText = (at: string): string => new Date(at).toLocaleString('sv-SE').slice(0, 16)

const after = (text: string, more: string | undefined) => (more === undefined ? text : `${text}${more}`)

const waits: Readonly<Record<NonNullable<Task['waitingFor']>, (waiting: Waiting) => string>> = {
  approval: () => 'approval',
  hold: ({ provider, until }) =>
    after(
      `${provider ?? 'the provider'}, which has reached its limit`,
      until && ` until ${minuteText(until)}`,
    ),
  budget: ({ until }) => after('budget', until && `, until ${minuteText(until)}`),
  slot: ({ position, message }) =>
    after(
      after('slot', message && `: ${message}`),
      position === undefined ? undefined : `, ${ordinal(position)}`,
    ),
  runner: ({ message }) => after('runner', message && `: ${message}`),
  schedule: ({ until }) => after('next attempt', until && ` at ${minuteText(until)}`),
}

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' })
const ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' }
const ordinal = (place: number) => `${place}${ENDINGS[ORDINALS.select(place)] ?? 'th'}`

/** Why a task failed, what it waits for, or what it asks; nothing where there is nothing to say. */
export const taskReason = ({ status, error, waitingFor, waiting, question }: Task): string => {
  if (waitingFor !== undefined && waitingFor in waits)
    return safeLine(`waits for ${waits[waitingFor](waiting ?? {})}`)
  if (question !== undefined) return safeLine(`asks: ${question.text}`)
  return status === 'completed' || error === undefined ? '' : safeLine(error.message)
}
