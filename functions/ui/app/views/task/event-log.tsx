import type { TaskEvent } from '../../../../../lib/tasks/schema.ts'
import { spanOf } from '../../components/time.ts'

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

const tones: Readonly<Record<TaskEvent['type'], string>> = {
  created: 'text-muted-foreground',
  queued: 'text-queued',
  started: 'text-running',
  progress: 'text-muted-foreground',
  retrying: 'text-failed',
  recovered: 'text-queued',
  completed: 'text-completed',
  failed: 'text-failed',
  cancelled: 'text-cancelled',
  retried: 'text-queued',
}

/** What happened to a task, with the time since it was created. */
export const EventLog = ({ events }: { events: readonly TaskEvent[] }) => {
  const start = Date.parse(events[0]?.timestamp ?? '')
  return (
    <ol aria-label="Events" className="py-1.5" aria-live="polite" aria-relevant="additions">
      {events.map(({ id, type, timestamp, message }) => (
        <li key={id} className="flex gap-3 px-3.5 py-0.5">
          <time
            dateTime={timestamp}
            title={exact.format(Date.parse(timestamp))}
            className="w-14 shrink-0 text-right text-muted-foreground"
          >
            +{spanOf(Date.parse(timestamp) - start)}
          </time>
          <span className={`w-18 shrink-0 font-medium ${tones[type]}`}>{type}</span>
          <span className="min-w-0 flex-1 [overflow-wrap:anywhere] whitespace-pre-wrap">{message}</span>
        </li>
      ))}
    </ol>
  )
}
