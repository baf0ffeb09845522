import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { rootRoute } from '../../shell/root-route.ts'

export const approvalsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/approvals',
  /** `item`: the call that a link opens. */
  validateSearch: ({ item }: Record<string, unknown>): { item?: string } =>
    item ? { item: String(item) } : {},
  component: lazyComponent(() => import('./approvals.tsx'), 'Approvals'),
})
