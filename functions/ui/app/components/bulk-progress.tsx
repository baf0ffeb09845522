import { Link } from '@tanstack/react-router'
import type { BulkJob } from '../data/bulk-jobs.ts'
import { bulkCounts, bulkText, isFollowing } from './bulk-outcome.ts'
import { bulkCount, bulkWords } from './bulk-words.ts'
import { formatNumber } from './format.ts'
import { ProgressBar } from './progress-bar.tsx'

export const BulkProgress = ({ job }: { job: BulkJob }) => {
  const { target, action, total, failed, failures } = job
  const { ended, faulty } = bulkCounts(job)
  return (
    <>
      <ProgressBar
        label={`${bulkWords(target, action).name} ${bulkCount(target)}`}
        done={ended}
        total={total}
        failed={faulty}
      />
      <p role="status">{bulkText(job)}</p>
      {isFollowing(job) && (
        <p className="text-muted-foreground">
          The job ends when all of these tasks end. It continues if you close this.
        </p>
      )}
      {(job.results?.failed ?? 0) > 0 && (
        <p>
          <Link to="/tasks/failures" className="underline underline-offset-2">
            See why
          </Link>
        </p>
      )}
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
        <p className="text-muted-foreground">{formatNumber(failed - failures.length)} more failed.</p>
      )}
    </>
  )
}

type ItemProps = { target: BulkJob['target']; id: string; title: string }

const ItemLink = ({ target, id, title }: ItemProps) =>
  target === 'tasks' ? (
    <Link to="/tasks/$id" params={{ id }} className="hover:underline">
      {title}
    </Link>
  ) : (
    <Link to="/tasks/queue" search={{ status: 'all', item: id }} className="hover:underline">
      {title}
    </Link>
  )
