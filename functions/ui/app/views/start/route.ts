import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { rootRoute } from '../../shell/root-route.ts'

export const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: lazyComponent(() => import('./start.tsx'), 'Start'),
})
