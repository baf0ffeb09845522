import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root-route.ts'
import { isSortable, type Sorting } from './sorting.ts'

export const healthRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/health',
  /** How the endpoints are sorted; the slowest are first where nothing is said. */
  validateSearch: ({ sort, order }: Record<string, unknown>): Sorting => ({
    ...(isSortable(sort) ? { sort } : {}),
    ...(order === 'asc' ? { order } : {}),
  }),
  component: lazyRouteComponent(() => import('./health.tsx'), 'Health'),
})
