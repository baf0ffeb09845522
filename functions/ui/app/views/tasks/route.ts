import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { FILTER_NAMES, type Filters } from '../../data/tasks.ts'
import { rootRoute } from '../../shell/root-route.ts'

export const tasksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks',
  validateSearch: (given: Record<string, unknown>): Filters =>
    Object.fromEntries(
      FILTER_NAMES.flatMap((name) => (given[name] ? [[name, String(given[name])] as const] : [])),
    ),
  component: lazyComponent(() => import('./tasks.tsx'), 'Tasks'),
})
