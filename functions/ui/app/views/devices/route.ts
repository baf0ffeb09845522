import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { rootRoute } from '../../shell/root-route.ts'

export const devicesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/devices',
  component: lazyComponent(() => import('./devices.tsx'), 'Devices'),
})
