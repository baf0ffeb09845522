import { ChevronRight, Maximize, ZoomIn, ZoomOut } from 'lucide-react'
import { useState } from 'react'
import { isFinal } from '../../../../../lib/tasks/machine.ts'
import type { Task, TaskEvent } from '../../../../../lib/tasks/schema.ts'
import { Button } from '../../components/button.tsx'
import { useNow } from '../../components/now.ts'
import { Scroller } from '../../components/scroller.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { formatDuration } from '../../components/time.ts'
import { Windowed } from '../../components/windowed.tsx'
import type { Run } from '../../run/run.ts'
import { axisTicks, type Span, taskSpans, visibleMarks } from './spans.ts'
import { type Work, worksByAttempt } from './works.ts'

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
  decision: { name: 'Waiting for approval', look: 'bg-queued' },
} as const

const endings = {
  completed: '',
  failed: 'failed',
  lost: 'worker lost',
  interrupted: 'service restarted',
  paused: 'needs approval',
  cancelled: 'cancelled',
} as const

const workLooks: Readonly<Record<Work['state'], string>> = {
  running: 'bg-running animate-pulse',
  waiting: 'bg-queued',
  success: 'bg-muted-foreground/45',
  error: 'bg-failed-soft',
  expired: 'bg-queued',
  stopped: 'bg-cancelled/60',
}

const spanClass = ({ kind, ended, to }: Span) =>
  kind === 'attempt' ? looks[ended ?? (to === undefined ? 'running' : 'lost')] : waits[kind].look

const spanName = ({ kind, attempt, run, ended }: Span) => {
  const again = run > 1 ? `Retry ${run - 1}, ` : ''
  if (kind !== 'attempt') return again && kind === 'queue' ? `${again}in the queue` : waits[kind].name
  const name = again ? `${again}attempt ${attempt}` : `Attempt ${attempt}`
  const ending = ended && endings[ended]
  return ending ? `${name}: ${ending}` : name
}

const isExplained = ({ kind, ended, reason }: Span) =>
  kind === 'attempt' && ended !== 'completed' && ended !== 'paused' && Boolean(reason)

/** A range of the axis, in epoch milliseconds. */
type Stretch = { readonly from: number; readonly to: number }

const LEAST_MS = 10
/** More bars start collapsed. */
const MOST_OPEN = 40

type Props = { events: readonly TaskEvent[]; run: Run | undefined; task: Task }

export const Timeline = ({ events, run, task }: Props) => {
  const endedAt = isFinal(task.status) ? Date.parse(task.completedAt ?? task.updatedAt) : undefined
  const isOpen = taskSpans(events, 0, endedAt).some(({ to }) => to === undefined)
  const now = useNow(isOpen)
  const spans = taskSpans(events, now, endedAt)
  const [zoom, setZoom] = useState<Stretch>()
  if (spans.length === 0)
    return <p className="px-3.5 py-3 text-muted-foreground">Imported tasks have no trace.</p>
  const from = spans[0]?.from ?? now
  const lifetime = { from, to: Math.max(...spans.map(({ to }) => to ?? now), from + 1) }
  const works = run && worksByAttempt(run, spans)
  return (
    <figure aria-label="Timeline" className="pt-2 pb-2">
      <div className="flex justify-end px-3.5">
        <Zoom lifetime={lifetime} zoom={zoom} onZoom={setZoom} />
      </div>
      <Axis stretch={zoom ?? lifetime} origin={from} />
      <Scroller role="group" label="Bars" className="overflow-x-hidden overflow-y-auto px-3.5">
        <ol>
          {spans.map((span) => (
            <SpanRows
              key={`${span.kind}${span.from}`}
              span={span}
              now={now}
              stretch={zoom ?? lifetime}
              works={works?.get(span) ?? []}
              onZoom={setZoom}
            />
          ))}
        </ol>
      </Scroller>
    </figure>
  )
}

type ZoomProps = { lifetime: Stretch; zoom: Stretch | undefined; onZoom: (to: Stretch | undefined) => void }

const Zoom = ({ lifetime, zoom, onZoom }: ZoomProps) => {
  const { from, to } = zoom ?? lifetime
  const by = (factor: number) => {
    const half = Math.max(LEAST_MS, (to - from) * factor) / 2
    const middle = (from + to) / 2
    const next = { from: Math.max(lifetime.from, middle - half), to: Math.min(lifetime.to, middle + half) }
    onZoom(next.from <= lifetime.from && next.to >= lifetime.to ? undefined : next)
  }
  return (
    <span className="-mr-2 flex items-center">
      {zoom && (
        <input
          type="range"
          aria-label="Position"
          className="w-24 accent-primary"
          min={lifetime.from}
          max={Math.max(lifetime.from, lifetime.to - (to - from))}
          step="any"
          value={from}
          onChange={({ target }) =>
            onZoom({ from: target.valueAsNumber, to: target.valueAsNumber + (to - from) })
          }
        />
      )}
      <Button kind="ghost" size="icon" aria-label="Zoom in" title="Zoom in" onClick={() => by(0.5)}>
        <ZoomIn size={15} />
      </Button>
      <Button
        kind="ghost"
        size="icon"
        aria-label="Zoom out"
        title="Zoom out"
        disabled={!zoom}
        onClick={() => by(2)}
      >
        <ZoomOut size={15} />
      </Button>
      <Button
        kind="ghost"
        size="icon"
        aria-label="Show all"
        title="Show all"
        disabled={!zoom}
        onClick={() => onZoom(undefined)}
      >
        <Maximize size={14} />
      </Button>
    </span>
  )
}

const nameClass = 'w-36 shrink-0 sm:w-56'
const tookClass = 'w-14 shrink-0 text-right text-muted-foreground'

const Axis = ({ stretch: { from, to }, origin }: { stretch: Stretch; origin: number }) => (
  <div className="flex px-3.5 text-xs text-muted-foreground" aria-hidden>
    <span className={nameClass} />
    <span className="relative h-5 flex-1">
      {axisTicks(to - from, from - origin).map((at) => (
        <span
          key={at}
          className="absolute -translate-x-1/2 whitespace-nowrap max-sm:even:hidden"
          style={{ left: `${(100 * (origin + at - from)) / (to - from)}%` }}
        >
          {at === 0 ? '0' : formatDuration(at)}
        </span>
      ))}
    </span>
    <span className={tookClass} />
  </div>
)

type RowsProps = {
  span: Span
  works: readonly Work[]
  now: number
  stretch: Stretch
  onZoom: (to: Stretch) => void
}

const SpanRows = ({ span, works, now, stretch, onZoom }: RowsProps) => {
  const [chosen, setChosen] = useState<boolean>()
  const isOpen = chosen ?? works.length <= MOST_OPEN
  const row = { stretch, now, onZoom }
  return (
    <>
      <Row
        {...row}
        {...span}
        name={spanName(span)}
        why={span.reason}
        look={spanClass(span)}
        fold={works.length > 0 ? { isOpen, onToggle: () => setChosen(!isOpen) } : undefined}
      />
      {isExplained(span) && (
        <li className="flex h-5 items-center text-xs text-muted-foreground">
          <span className="truncate pl-4" title={span.reason}>
            {startOfLine(span.reason ?? '')}
          </span>
        </li>
      )}
      {isOpen && (
        <Windowed
          isList
          items={works}
          getKey={({ key }) => key}
          draw={({ key: _, state, ...work }) => <Row {...row} {...work} look={workLooks[state]} isWithin />}
          itemPx={WORK_PX}
          atOnce={50}
        />
      )}
    </>
  )
}

const WORK_PX = 20

type RowProps = {
  name: string
  look: string
  from: number
  to: number | undefined
  why?: string | undefined
  marks?: Span['marks']
  fold?: { isOpen: boolean; onToggle: () => void } | undefined
  isWithin?: boolean
  stretch: Stretch
  now: number
  onZoom: (to: Stretch) => void
}

const Row = ({
  name,
  look,
  from,
  to,
  why,
  marks = [],
  fold,
  isWithin = false,
  stretch,
  now,
  onZoom,
}: RowProps) => {
  const end = to ?? now
  const length = stretch.to - stretch.from
  const place = (at: number) => `${(100 * (at - stretch.from)) / length}%`
  const title = why ? `${name}: ${why}` : name
  return (
    <li className={`flex items-center ${isWithin ? 'h-5' : 'h-6'}`}>
      <span className={`flex items-center ${nameClass}`}>
        {fold && (
          <button
            type="button"
            aria-expanded={fold.isOpen}
            aria-label={`Steps of ${name}`}
            className="-ml-3.5 shrink-0 rounded hover:bg-accent"
            onClick={fold.onToggle}
          >
            <ChevronRight size={14} className={fold.isOpen ? 'rotate-90' : ''} />
          </button>
        )}
        <button
          type="button"
          title={`${title}. Click to zoom`}
          className={`min-w-0 truncate text-left hover:underline ${isWithin ? 'pl-4 text-xs text-muted-foreground' : ''}`}
          onClick={() => onZoom({ from, to: Math.max(end, from + LEAST_MS) })}
        >
          {startOfLine(name)}
        </button>
      </span>
      <span className="relative h-full flex-1 overflow-x-clip border-l">
        <span
          title={`${title}, ${formatDuration(end - from)}`}
          className={`absolute min-w-0.5 rounded-sm ${isWithin ? 'h-2.5' : 'h-3'} ${isWithin || marks.length > 0 ? 'top-1' : 'top-1.5'} ${look}`}
          style={{
            left: `min(${place(from)}, calc(100% - 2px))`,
            width: `${(100 * (end - from)) / length}%`,
          }}
        />
        {visibleMarks(marks, stretch).map(({ at, message }) => (
          <span
            key={at}
            title={message}
            className="absolute top-[1.125rem] h-1.5 w-px bg-muted-foreground"
            style={{ left: place(at) }}
          />
        ))}
      </span>
      <span className={`${tookClass} ${isWithin ? 'text-xs' : ''}`}>{formatDuration(end - from)}</span>
    </li>
  )
}
