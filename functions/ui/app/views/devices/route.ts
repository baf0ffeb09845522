import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root-route.ts'

export const devicesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/devices',
  component: lazyRouteComponent(() => import('./devices.tsx'), 'Devices'),
})
