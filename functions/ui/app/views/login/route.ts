import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { rootRoute } from '../../shell/root-route.ts'

export const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  component: lazyComponent(() => import('./login.tsx'), 'Login'),
})

export const signupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signup',
  component: lazyComponent(() => import('./signup.tsx'), 'Signup'),
})

export const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset',
  component: lazyComponent(() => import('./reset.tsx'), 'Reset'),
})

export const phoneRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in/phone',
  component: lazyComponent(() => import('./phone.tsx'), 'Phone'),
})
