import { Link } from '@tanstack/react-router'
import { BulkRows } from '../../components/bulk-rows.tsx'
import { Panel } from '../../components/view.tsx'
import { useRecentBulkJobs } from '../../data/bulk-jobs.ts'

/** Renders nothing without jobs. */
export const Bulk = () => {
  const { data } = useRecentBulkJobs()
  if (data === undefined || data.length === 0) return null
  return (
    <Panel
      title="Bulk jobs"
      aside={
        <Link to="/bulk" className="text-muted-foreground hover:text-foreground">
          All
        </Link>
      }
    >
      <BulkRows jobs={data} />
    </Panel>
  )
}
