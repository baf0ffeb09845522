import { useEffect, useState } from 'react'
import type { TaskEvent } from '../../../../../lib/tasks/schema.ts'
import { spanOf } from '../../components/time.ts'
import { type Span, spansOf, ticksOf } from './spans.ts'

const FRAME_MS = 250

/** Now, moving while something runs. */
const useNow = (isRunning: boolean) => {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setNow(Date.now()), FRAME_MS)
    return () => clearInterval(timer)
  }, [isRunning])
  return now
}

const looks = {
  running: 'bg-running animate-pulse',
  completed: 'bg-completed-soft',
  failed: 'bg-failed-soft',
  lost: 'bg-queued',
  interrupted: 'bg-queued',
  paused: 'bg-running/60',
  cancelled: 'bg-cancelled/60',
} as const

const waits = {
  queue: { name: 'In the queue', look: 'bg-input' },
  backoff: { name: 'Backoff', look: 'bg-input/50 border border-dashed border-muted-foreground/60' },
  decision: { name: 'Waits for approval', look: 'bg-queued' },
} as const

/** Why an attempt is over, where its bar does not say it. */
const endings = {
  completed: '',
  failed: 'failed',
  lost: 'worker lost',
  interrupted: 'service restarted',
  paused: 'asks for approval',
  cancelled: 'cancelled',
} as const

const lookOf = ({ kind, ended, to }: Span) =>
  kind === 'attempt' ? looks[ended ?? (to === undefined ? 'running' : 'lost')] : waits[kind].look

const nameOf = ({ kind, attempt, ended }: Span) => {
  if (kind !== 'attempt') return waits[kind].name
  const ending = ended && endings[ended]
  return ending ? `Attempt ${attempt}: ${ending}` : `Attempt ${attempt}`
}

/** The life of a task as bars in time, each stretch on its own line. */
export const Timeline = ({ events }: { events: readonly TaskEvent[] }) => {
  const isOpen = spansOf(events, 0).some(({ to }) => to === undefined)
  const now = useNow(isOpen)
  const spans = spansOf(events, now)
  if (spans.length === 0)
    return <p className="px-3.5 py-3 text-muted-foreground">Imported: its life was elsewhere.</p>
  const start = spans[0]?.from ?? now
  const lastly = Math.max(...spans.map(({ to }) => to ?? now), start + 1)
  const length = lastly - start
  const part = (ms: number) => `${(100 * ms) / length}%`
  return (
    <figure aria-label="Timeline" className="px-3.5 pt-2 pb-3">
      <div className="relative ml-28 mr-14 h-5 md:ml-48 text-xs text-muted-foreground" aria-hidden>
        {ticksOf(length).map((at) => (
          <span
            key={at}
            className="absolute -translate-x-1/2 whitespace-nowrap first:translate-x-0"
            style={{ left: part(at) }}
          >
            {at === 0 ? '0' : spanOf(at)}
          </span>
        ))}
      </div>
      <ol>
        {spans.map((span) => (
          <li key={`${span.kind}${span.from}`} className="flex h-6 items-center">
            <span className="w-28 shrink-0 truncate md:w-48" title={span.reason || undefined}>
              {nameOf(span)}
            </span>
            <span className="relative h-full flex-1 border-l">
              <Bar span={span} left={part(span.from - start)} width={part((span.to ?? now) - span.from)} />
              {span.marks.map(({ at, message }, n) => (
                <span
                  // biome-ignore lint/suspicious/noArrayIndexKey: two may have the same time and text.
                  key={n}
                  title={message}
                  className="absolute top-[1.125rem] h-1.5 w-px bg-muted-foreground"
                  style={{ left: part(at - start) }}
                />
              ))}
            </span>
            <span className="w-14 shrink-0 text-right text-muted-foreground">
              {spanOf((span.to ?? now) - span.from)}
            </span>
          </li>
        ))}
      </ol>
    </figure>
  )
}

const Bar = ({ span, left, width }: { span: Span; left: string; width: string }) => (
  <span
    title={span.reason ? `${nameOf(span)}: ${span.reason}` : nameOf(span)}
    className={`absolute top-1 h-3 min-w-0.5 rounded-sm ${lookOf(span)}`}
    style={{ left, width }}
  />
)
