import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { rootRoute } from '../../shell/root-route.ts'

const getParentRoute = () => rootRoute

export const chatRoute = createRoute({
  getParentRoute,
  path: '/chat',
  component: lazyComponent(() => import('./chat.tsx'), 'Chat'),
})

export const conversationRoute = createRoute({
  getParentRoute,
  path: '/chat/$id',
  component: lazyComponent(() => import('./talk.tsx'), 'Talk'),
})

export const sessionRoute = createRoute({
  getParentRoute,
  path: '/chat/sessions/$id',
  component: lazyComponent(() => import('./session.tsx'), 'Session'),
})
