import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../components/lazy.tsx'
import { rootRoute } from './root-route.ts'

/** The frame of the sections of Settings. */
export const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings',
  component: lazyComponent(() => import('./settings-frame.tsx'), 'SettingsFrame'),
})
