import type { TaskEvent } from '../../../../../lib/tasks/schema.ts'

/** A stretch of a task's life: it waits, or somebody works on it. */
export type Span = {
  kind: 'waiting' | 'attempt'
  /** Which attempt; of a wait, the one that came before. */
  attempt: number
  from: number
  /** Undefined while it lasts. */
  to: number | undefined
  /** How an attempt ended; undefined for waits and while it runs. */
  ended?: 'completed' | 'failed' | 'cancelled' | 'lost'
  /** What was said on the way. */
  marks: readonly { at: number; message: string }[]
}

type Open = { -readonly [Name in keyof Span]: Span[Name] } & { marks: { at: number; message: string }[] }

/** What each event does to the stretch that is open: how that ends, and what begins. */
const effects: Readonly<
  Record<TaskEvent['type'], { ends?: NonNullable<Span['ended']>; begins?: Span['kind'] }>
> = {
  created: { begins: 'waiting' },
  queued: {},
  progress: {},
  started: { begins: 'attempt' },
  retrying: { ends: 'failed', begins: 'waiting' },
  recovered: { ends: 'lost', begins: 'waiting' },
  retried: { begins: 'waiting' },
  completed: { ends: 'completed' },
  failed: { ends: 'failed' },
  cancelled: { ends: 'cancelled' },
}

/** The life of a task as stretches of time, from its event log, oldest first. */
export const spansOf = (events: readonly TaskEvent[]): Span[] => {
  const spans: Open[] = []
  for (const { type, timestamp, message = '', attempt } of events) {
    const at = Date.parse(timestamp)
    const open = spans.findLast(({ to }) => to === undefined)
    const { ends, begins } = effects[type]
    if (type === 'progress') open?.marks.push({ at, message })
    if (open && (ends || begins)) {
      open.to = at
      if (ends && open.kind === 'attempt') open.ended = ends
    }
    if (begins)
      spans.push({
        kind: begins,
        attempt: attempt ?? nextOf(spans, begins),
        from: at,
        to: undefined,
        marks: [],
      })
  }
  return spans
}

const nextOf = (spans: readonly Span[], kind: Span['kind']) =>
  spans.filter((span) => span.kind === kind).length + 1

/** Round steps of an axis over so many milliseconds: at most six. */
export const ticksOf = (lengthMs: number): number[] => {
  const step = STEPS.find((size) => lengthMs / size <= MOST_TICKS) ?? lengthMs / MOST_TICKS
  const count = Math.floor(lengthMs / step)
  return Array.from({ length: count + 1 }, (_, n) => n * step)
}
const MOST_TICKS = 6
const [S, M, H, D] = [1_000, 60_000, 3_600_000, 86_400_000]
const STEPS = [
  ...[10, 20, 50, 100, 200, 500, S, 2 * S, 5 * S, 10 * S, 20 * S, 30 * S],
  ...[M, 2 * M, 5 * M, 10 * M, 20 * M, 30 * M, H, 2 * H, 6 * H, 12 * H, D, 2 * D, 7 * D, 30 * D],
]
