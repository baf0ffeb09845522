import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { isFollowing } from '../../components/bulk-outcome.ts'
import { BulkProgress } from '../../components/bulk-progress.tsx'
import { BulkState } from '../../components/bulk-state.tsx'
import { bulkTitle } from '../../components/bulk-words.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { Person } from '../../components/person.tsx'
import { Problem } from '../../components/problem.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { View } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { useBulkJob, useCancelBulk } from '../../data/bulk-jobs.ts'

export const Bulk = (): ReactNode => {
  const { id } = useParams({ from: '/tasks/bulk/$id' })
  const { data: job, error, refetch } = useBulkJob(id)
  const cancelling = useCancelBulk()
  if (job === undefined)
    return (
      <View title="Bulk job">
        {error ? <Problem error={error} onRetry={() => void refetch()} /> : <SkeletonRows count={4} />}
      </View>
    )
  return (
    <View
      title={bulkTitle(job)}
      aside={<BulkState job={job} />}
      actions={
        job.status === 'running' ? (
          <Button needsService disabled={cancelling.isPending} onClick={() => cancelling.mutate(id)}>
            {isFollowing(job) ? 'Stop following' : 'Cancel job'}
          </Button>
        ) : (
          <Link to={job.target === 'tasks' ? '/tasks' : '/tasks/queue'} className={buttonClass()}>
            {job.target === 'tasks' ? 'Open tasks' : 'Open dead letters'}
          </Link>
        )
      }
    >
      <div className="flex max-w-3xl flex-col gap-3 p-4 md:px-6">
        <p className="text-muted-foreground">
          Started <When at={job.createdAt} /> by <Person id={job.createdBy} />
          {job.endedAt && (
            <>
              , ended <When at={job.endedAt} />
            </>
          )}
        </p>
        <BulkProgress job={job} />
        <Refusal error={cancelling.error} />
      </div>
    </View>
  )
}
