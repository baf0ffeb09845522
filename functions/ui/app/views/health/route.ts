import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { settingsRoute } from '../../shell/settings-route.ts'
import { isSortable, type Sorting } from './sorting.ts'

export const healthRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/health',
  /** The default is the slowest first. */
  validateSearch: ({ sort, order }: Record<string, unknown>): Sorting => ({
    ...(isSortable(sort) ? { sort } : {}),
    ...(order === 'asc' ? { order } : {}),
  }),
  component: lazyComponent(() => import('./health.tsx'), 'Health'),
})
