import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { rootRoute } from '../../shell/root-route.ts'
import { isFilter, type QueueSearch } from './filters.ts'

export const queueRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks/queue',
  /** Pending is the default, without a parameter. */
  validateSearch: ({ status, item, fingerprint }: Record<string, unknown>): QueueSearch => ({
    ...(isFilter(status) && status !== 'pending' ? { status } : {}),
    ...(item ? { item: String(item) } : {}),
    ...(fingerprint ? { fingerprint: String(fingerprint) } : {}),
  }),
  component: lazyComponent(() => import('./queue.tsx'), 'Queue'),
})
