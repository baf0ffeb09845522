import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { settingsRoute } from '../../shell/settings-route.ts'

export const auditRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/audit',
  component: lazyComponent(() => import('./audit.tsx'), 'Audit'),
})
