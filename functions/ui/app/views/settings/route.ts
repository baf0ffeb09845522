import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { settingsRoute } from '../../shell/settings-route.ts'

const frame = createRoute({
  getParentRoute: () => settingsRoute,
  id: 'forms',
  component: lazyComponent(() => import('./settings.tsx'), 'Settings'),
})

export const settingsIndexRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/',
  component: lazyComponent(() => import('./settings-index.tsx'), 'SettingsIndex'),
})
const profile = createRoute({
  getParentRoute: () => frame,
  path: '/profile',
  component: lazyComponent(() => import('./profile.tsx'), 'Profile'),
})
const sessions = createRoute({
  getParentRoute: () => frame,
  path: '/sessions',
  component: lazyComponent(() => import('./sessions.tsx'), 'Sessions'),
})
const messages = createRoute({
  getParentRoute: () => frame,
  path: '/messages',
  component: lazyComponent(() => import('./alerts.tsx'), 'Alerts'),
})
const tokens = createRoute({
  getParentRoute: () => frame,
  path: '/tokens',
  component: lazyComponent(() => import('./tokens.tsx'), 'Tokens'),
})
const integrations = createRoute({
  getParentRoute: () => frame,
  path: '/integrations',
  component: lazyComponent(() => import('./integrations.tsx'), 'Integrations'),
})
const models = createRoute({
  getParentRoute: () => frame,
  path: '/models',
  /** The provider whose key is asked for. */
  validateSearch: ({ provider }): { provider?: string } => (typeof provider === 'string' ? { provider } : {}),
  component: lazyComponent(() => import('./models.tsx'), 'Models'),
})
const invites = createRoute({
  getParentRoute: () => frame,
  path: '/invites',
  component: lazyComponent(() => import('./invites.tsx'), 'Invites'),
})
const users = createRoute({
  getParentRoute: () => frame,
  path: '/users',
  component: lazyComponent(() => import('./users.tsx'), 'Users'),
})
const accessKey = createRoute({
  getParentRoute: () => frame,
  path: '/access-key',
  component: lazyComponent(() => import('./access-key.tsx'), 'AccessKey'),
})
const installation = createRoute({
  getParentRoute: () => frame,
  path: '/installation',
  component: lazyComponent(() => import('./installation.tsx'), 'Installation'),
})

export const settingsFormsRoute = frame.addChildren([
  profile,
  sessions,
  messages,
  tokens,
  integrations,
  models,
  invites,
  users,
  accessKey,
  installation,
])
