import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { rootRoute } from '../../shell/root-route.ts'
import { taskSearch } from './tabs.ts'

export const taskRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks/$id',
  validateSearch: taskSearch,
  component: lazyComponent(() => import('./task.tsx'), 'Task'),
})
