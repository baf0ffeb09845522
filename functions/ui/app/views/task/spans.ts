import type { TaskEvent } from '../../../../../lib/tasks/schema.ts'

/** `interrupted`: the service shut down, and the attempt is not counted. */
type Ended = 'completed' | 'failed' | 'cancelled' | 'lost' | 'interrupted' | 'paused'

/** A time span of a task: waiting in the queue, for backoff or for a decision, or an attempt. */
export type Span = {
  kind: 'queue' | 'backoff' | 'decision' | 'attempt'
  /** The number of the attempt; of a wait, its number among waits of its kind. */
  attempt: number
  /** From 1: each retry of the dead letter starts a run, whose attempts count from 1. */
  run: number
  from: number
  to: number | undefined
  ended?: Ended
  /** The message of the event that ended it. */
  reason?: string
  marks: readonly Mark[]
}

/** `at` in epoch milliseconds. */
export type Mark = { at: number; message: string }

type Open = { -readonly [Name in keyof Span]: Span[Name] } & {
  marks: Mark[]
  /** The end of a backoff. */
  until?: number
}

/** What an event does to the open span. */
type Effect = { ends?: Ended; begins?: Span['kind']; isNewRun?: boolean }

const effects: Readonly<Record<TaskEvent['type'], Effect>> = {
  created: { begins: 'queue' },
  queued: { begins: 'queue' },
  progress: {},
  started: { begins: 'attempt' },
  retrying: { ends: 'failed', begins: 'backoff' },
  recovered: { ends: 'lost', begins: 'queue' },
  retried: { begins: 'queue', isNewRun: true },
  completed: { ends: 'completed' },
  failed: { ends: 'failed' },
  cancelled: { ends: 'cancelled' },
}

/** Event codes that override the type. */
const byCode: Readonly<Record<string, Effect>> = {
  run_as_new: {},
  released: { ends: 'interrupted', begins: 'queue' },
  waiting_for_approval: { ends: 'paused', begins: 'decision' },
  resumed: { begins: 'attempt' },
}

/** An imported finished task has only the event of its import. */
const isImport = ({ type, message }: TaskEvent) => type === 'created' && message === 'imported'

const eventEffect = (event: TaskEvent): Effect => {
  if (isImport(event)) return {}
  const code = event.metadata?.code
  return (typeof code === 'string' ? byCode[code] : undefined) ?? effects[event.type]
}

const createLife = () => {
  const spans: Open[] = []
  const begin = (kind: Span['kind'], from: number, attempt?: number, isNewRun = false): Open => {
    const run = (spans.at(-1)?.run ?? 1) + (isNewRun ? 1 : 0)
    const span: Open = {
      kind,
      attempt: attempt ?? nextAttempt(spans, kind),
      run,
      from,
      to: undefined,
      marks: [],
    }
    spans.push(span)
    return span
  }
  /** An elapsed backoff is followed by a wait in the queue. */
  const openAt = (at: number): Open | undefined => {
    const open = spans.findLast(({ to }) => to === undefined)
    if (open?.until === undefined || open.until >= at) return open
    open.to = open.until
    return begin('queue', open.until)
  }
  return { spans, begin, openAt }
}

type Life = ReturnType<typeof createLife>

const turn = (
  { begin }: Life,
  open: Open | undefined,
  event: TaskEvent,
  { ends, begins, isNewRun }: Effect,
): void => {
  // A new task is queued at once; a deferred one when it is due.
  if (begins === 'queue' && open?.kind === 'queue') return
  const at = Date.parse(event.timestamp)
  if (open) {
    open.to = at
    // An event may be stored after the attempt ended.
    open.marks = open.marks.map((mark) => ({ ...mark, at: Math.min(mark.at, at) }))
  }
  if (ends && open?.kind === 'attempt') Object.assign(open, { ended: ends, reason: event.message ?? '' })
  if (!begins) return
  const span = begin(begins, at, begins === 'attempt' ? event.attempt : undefined, isNewRun)
  const delayMs = event.metadata?.delayMs
  if (typeof delayMs === 'number') span.until = at + delayMs
}

/** Time spans of a task until `now`, from its events, oldest first. No span lasts beyond `endedAt`. */
export const taskSpans = (events: readonly TaskEvent[], now: number, endedAt?: number): Span[] => {
  const life = createLife()
  for (const event of events) {
    const at = Date.parse(event.timestamp)
    const effect = eventEffect(event)
    const open = life.openAt(at)
    if (effect.ends || effect.begins) turn(life, open, event, effect)
    else if (event.type === 'progress') open?.marks.push({ at, message: event.message ?? '' })
  }
  life.openAt(endedAt ?? now)
  return life.spans.map(({ until: _until, ...span }) => ({ ...span, to: span.to ?? endedAt }))
}

const nextAttempt = (spans: readonly Span[], kind: Span['kind']) =>
  spans.filter((span) => span.kind === kind).length + 1

/**
 * The visible marks, at most one per hundredth of the axis: an attempt may have a thousand. A merged mark has the first message and a
 * count.
 */
export const visibleMarks = (marks: readonly Mark[], { from, to }: { from: number; to: number }): Mark[] => {
  const inPlace = new Map<number, { first: Mark; count: number }>()
  for (const mark of marks) {
    if (mark.at < from || mark.at > to) continue
    const place = Math.floor((PLACES * (mark.at - from)) / (to - from))
    const { first, count } = inPlace.get(place) ?? { first: mark, count: 0 }
    inPlace.set(place, { first, count: count + 1 })
  }
  return [...inPlace.values()].map(({ first: { at, message }, count }) => ({
    at,
    message: count === 1 ? message : `${message}, and ${count - 1} more`,
  }))
}
const PLACES = 100

/** At most six round steps. */
export const axisTicks = (lengthMs: number, fromMs = 0): number[] => {
  const step = STEPS.find((size) => lengthMs / size <= MOST_TICKS) ?? lengthMs / MOST_TICKS
  const first = Math.ceil(fromMs / step)
  const count = Math.floor((fromMs + lengthMs) / step) - first
  return Array.from({ length: count + 1 }, (_, n) => (first + n) * step)
}
const MOST_TICKS = 5
const [S, M, H, D] = [1_000, 60_000, 3_600_000, 86_400_000]
const STEPS = [
  ...[10, 20, 50, 100, 200, 500, S, 2 * S, 5 * S, 10 * S, 20 * S, 30 * S],
  ...[M, 2 * M, 5 * M, 10 * M, 20 * M, 30 * M, H, 2 * H, 6 * H, 12 * H, D, 2 * D, 7 * D, 30 * D],
]
