import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { settingsRoute } from '../../shell/settings-route.ts'

export const devicesRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/devices',
  component: lazyComponent(() => import('./devices.tsx'), 'Devices'),
})
