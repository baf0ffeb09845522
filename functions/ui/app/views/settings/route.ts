import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root-route.ts'

const frame = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings.tsx'), 'Settings'),
})

const profile = createRoute({
  getParentRoute: () => frame,
  path: '/',
  component: lazyRouteComponent(() => import('./profile.tsx'), 'Profile'),
})
const tokens = createRoute({
  getParentRoute: () => frame,
  path: '/tokens',
  component: lazyRouteComponent(() => import('./tokens.tsx'), 'Tokens'),
})
const invites = createRoute({
  getParentRoute: () => frame,
  path: '/invites',
  component: lazyRouteComponent(() => import('./invites.tsx'), 'Invites'),
})
const users = createRoute({
  getParentRoute: () => frame,
  path: '/users',
  component: lazyRouteComponent(() => import('./users.tsx'), 'Users'),
})
const accessKey = createRoute({
  getParentRoute: () => frame,
  path: '/access-key',
  component: lazyRouteComponent(() => import('./access-key.tsx'), 'AccessKey'),
})
const installation = createRoute({
  getParentRoute: () => frame,
  path: '/installation',
  component: lazyRouteComponent(() => import('./installation.tsx'), 'Installation'),
})

export const settingsRoute = frame.addChildren([profile, tokens, invites, users, accessKey, installation])
