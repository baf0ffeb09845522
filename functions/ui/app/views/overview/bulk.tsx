import { Link } from '@tanstack/react-router'
import { Boundary } from '../../components/boundary.tsx'
import { lazyComponent } from '../../components/lazy.tsx'
import { Panel } from '../../components/view.tsx'
import { useRecentBulkJobs } from '../../data/bulk-jobs.ts'
import { Unloaded } from './unloaded.tsx'

const BulkRows = lazyComponent(() => import('../../components/bulk-rows.tsx'), 'BulkRows')

/** Renders nothing without jobs, and does not load the code of their rows. */
export const Bulk = () => {
  const { data } = useRecentBulkJobs()
  if (data === undefined || data.length === 0) return null
  return (
    <Panel
      title="Bulk jobs"
      aside={
        <Link to="/tasks/bulk" className="text-muted-foreground hover:text-foreground">
          All
        </Link>
      }
    >
      <Boundary resetKey="bulk jobs" failed={Unloaded}>
        <BulkRows jobs={data} />
      </Boundary>
    </Panel>
  )
}
