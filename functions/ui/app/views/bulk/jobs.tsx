import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { BulkRows } from '../../components/bulk-rows.tsx'
import { Button, buttonClass } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Problem } from '../../components/problem.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { View } from '../../components/view.tsx'
import { useBulkJobs } from '../../data/bulk-jobs.ts'
import { TaskTabs } from '../../shell/task-tabs.tsx'

const curl = () => `curl ${location.origin}/api/bulk`

export const BulkJobs = (): ReactNode => {
  const { rows, total, isPending, error, refetch, onMore } = useBulkJobs()
  return (
    <View
      title="Bulk jobs"
      tabs={<TaskTabs />}
      aside={
        total !== undefined &&
        total > 0 && (
          <span className="text-muted-foreground max-md:hidden">
            {total} {total === 1 ? 'job' : 'jobs'}
          </span>
        )
      }
    >
      {error && rows.length === 0 && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows count={4} />}
      {total === 0 && (
        <Empty
          title="No bulk jobs yet"
          curl={curl()}
          action={
            <Link to="/tasks" className={buttonClass()}>
              All tasks
            </Link>
          }
        >
          Select several tasks, dead letters or failures to retry or cancel them together.
        </Empty>
      )}
      {rows.length > 0 && (
        <div className="max-w-3xl p-4 md:px-6">
          <div className="rounded-lg border bg-card">
            <BulkRows jobs={rows} />
          </div>
        </div>
      )}
      {onMore && (
        <div className="px-4 pb-4 md:px-6">
          <Button size="small" onClick={onMore}>
            Show more
          </Button>
        </div>
      )}
    </View>
  )
}
