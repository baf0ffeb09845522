import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { settingsRoute } from '../../shell/settings-route.ts'
import { searchIn } from './filters.ts'

const frame = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/security',
  component: lazyComponent(() => import('./security.tsx'), 'Security'),
})

const policy = createRoute({
  getParentRoute: () => frame,
  path: '/',
  component: lazyComponent(() => import('./policy.tsx'), 'PolicyView'),
})
const audit = createRoute({
  getParentRoute: () => frame,
  path: '/audit',
  validateSearch: searchIn,
  component: lazyComponent(() => import('./tool-calls.tsx'), 'ToolCalls'),
})

export const securityRoute = frame.addChildren([policy, audit])
