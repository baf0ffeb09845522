import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { rootRoute } from '../../shell/root-route.ts'
import { isTab, type Tab } from './tabs.ts'

export const taskRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks/$id',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: Tab } => (isTab(tab) ? { tab } : {}),
  component: lazyComponent(() => import('./task.tsx'), 'Task'),
})
