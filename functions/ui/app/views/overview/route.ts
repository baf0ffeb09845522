import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import type { Window } from '../../data/analytics.ts'
import { rootRoute } from '../../shell/root-route.ts'
import { isWindow } from './windows.ts'

export const overviewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks/overview',
  /** 24 hours is the default, without a parameter. */
  validateSearch: ({ window }: Record<string, unknown>): { window?: Window | undefined } =>
    isWindow(window) && window !== '24h' ? { window } : {},
  component: lazyComponent(() => import('./overview.tsx'), 'Overview'),
})
