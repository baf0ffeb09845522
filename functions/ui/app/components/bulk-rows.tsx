import { Link } from '@tanstack/react-router'
import type { BulkSummary } from '../data/bulk-jobs.ts'
import { bulkCounts, bulkText } from './bulk-outcome.ts'
import { BulkState } from './bulk-state.tsx'
import { bulkTitle } from './bulk-words.ts'
import { formatNumber } from './format.ts'
import { ProgressBar } from './progress-bar.tsx'
import { When } from './when.tsx'
import { Windowed } from './windowed.tsx'

const ROW_PX = 58

export const BulkRows = ({ jobs }: { jobs: readonly BulkSummary[] }) => (
  <ul aria-label="Bulk jobs" className="divide-y">
    <Windowed
      isList
      items={jobs}
      getKey={({ id }) => id}
      itemPx={ROW_PX}
      atOnce={50}
      className="divide-y"
      draw={(job) => (
        <li>
          <Link
            to="/tasks/bulk/$id"
            params={{ id: job.id }}
            className="flex flex-wrap items-center gap-x-3 gap-y-0.5 px-3.5 py-2 hover:bg-muted"
          >
            <span className="min-w-0 flex-1 truncate">{bulkTitle(job)}</span>
            <BulkState job={job} />
            <span className="flex w-full gap-2 text-xs text-muted-foreground">
              <span>
                {bulkText(job)}
                {job.failed > 0 && `, ${formatNumber(job.failed)} refused`}
              </span>
              <When at={job.createdAt} className="ml-auto" />
            </span>
            {job.status === 'running' && (
              <ProgressBar
                label={bulkTitle(job)}
                done={bulkCounts(job).ended}
                total={job.total}
                failed={bulkCounts(job).faulty}
                isSlim
              />
            )}
          </Link>
        </li>
      )}
    />
  </ul>
)
