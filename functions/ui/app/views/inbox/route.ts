import { createRoute, redirect } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { rootRoute } from '../../shell/root-route.ts'

/** `item`: the key of the item that a link opens. Yours and open are the defaults, without a parameter. */
type InboxSearch = { item?: string; scope?: 'all' | undefined; state?: 'snoozed' | undefined }

export const inboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/inbox',
  validateSearch: ({ item, scope, state }: Record<string, unknown>): InboxSearch => ({
    ...(item ? { item: String(item) } : {}),
    ...(scope === 'all' ? { scope } : {}),
    ...(state === 'snoozed' ? { state } : {}),
  }),
  component: lazyComponent(() => import('./inbox.tsx'), 'Inbox'),
})

/** Addresses of earlier versions. */
export const approvalsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/approvals',
  validateSearch: ({ item }: Record<string, unknown>): { item?: string } =>
    item ? { item: String(item) } : {},
  beforeLoad: ({ search: { item } }) => {
    throw redirect({ to: '/inbox', search: item ? { item: `approval:${item}` } : {}, replace: true })
  },
})
export const notificationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/notifications',
  beforeLoad: () => {
    throw redirect({ to: '/inbox', replace: true })
  },
})
