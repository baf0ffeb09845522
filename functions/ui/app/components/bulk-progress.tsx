import { Link } from '@tanstack/react-router'
import type { BulkJob } from '../data/bulk-jobs.ts'
import { bulkWords, countOf } from './bulk-words.ts'
import { countOf as numberOf } from './format.ts'
import { ProgressBar } from './progress-bar.tsx'

/** How far a job is, and what it was refused for and why. */
export const BulkProgress = ({ job }: { job: BulkJob }) => {
  const { target, action, total, done, failed, failures } = job
  return (
    <>
      <ProgressBar
        label={`${bulkWords(target, action).name} ${countOf(target)}`}
        done={done + failed}
        total={total}
        failed={failed}
      />
      <p role="status">{saysOf(job)}</p>
      {failures.length > 0 && (
        <ul aria-label="What failed" className="divide-y rounded-md border">
          {failures.map(({ id, title = id, error }) => (
            <li key={id} className="px-3 py-2">
              <p className="truncate font-medium">
                <ItemLink target={target} id={id} title={title} />
              </p>
              <p className="text-destructive">{error}</p>
            </li>
          ))}
        </ul>
      )}
      {failed > failures.length && (
        <p className="text-muted-foreground">{numberOf(failed - failures.length)} more failed.</p>
      )}
    </>
  )
}

const saysOf = ({ target, action, status, total, done, failed }: BulkJob): string => {
  const { past } = bulkWords(target, action)
  if (status === 'running') return `${numberOf(done + failed)} of ${numberOf(total)}`
  const said = `${numberOf(done)} of ${numberOf(total)} ${past}`
  if (status === 'completed') return said
  return `Stopped: ${said}`
}

type ItemProps = { target: BulkJob['target']; id: string; title: string }

const ItemLink = ({ target, id, title }: ItemProps) =>
  target === 'tasks' ? (
    <Link to="/tasks/$id" params={{ id }} className="hover:underline">
      {title}
    </Link>
  ) : (
    <Link to="/queue" search={{ status: 'all', item: id }} className="hover:underline">
      {title}
    </Link>
  )
