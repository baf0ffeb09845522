import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { rootRoute } from '../../shell/root-route.ts'

export const bulkJobsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks/bulk',
  component: lazyComponent(() => import('./jobs.tsx'), 'BulkJobs'),
})

export const bulkRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks/bulk/$id',
  component: lazyComponent(() => import('./bulk.tsx'), 'Bulk'),
})
