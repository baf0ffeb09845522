import { createRoute } from '@tanstack/react-router'
import { lazyComponent } from '../../components/lazy.tsx'
import { settingsRoute } from '../../shell/settings-route.ts'
import { type DeliverySearch, isDeliveryStatus } from './delivery-search.ts'
import { isLanguage, isWay, type VerifySearch } from './languages.ts'

export const webhooksRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/webhooks',
  component: lazyComponent(() => import('./webhooks.tsx'), 'Webhooks'),
})

export const newWebhookRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/webhooks/new',
  component: lazyComponent(() => import('./new-webhook.tsx'), 'NewWebhook'),
})

const frame = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/webhooks/$id',
  component: lazyComponent(() => import('./webhook.tsx'), 'OneWebhook'),
})

const deliveries = createRoute({
  getParentRoute: () => frame,
  path: '/',
  validateSearch: ({ delivery, state }: Record<string, unknown>): DeliverySearch => ({
    ...(delivery ? { delivery: String(delivery) } : {}),
    ...(isDeliveryStatus(state) ? { state } : {}),
  }),
  component: lazyComponent(() => import('./deliveries.tsx'), 'Deliveries'),
})
const settings = createRoute({
  getParentRoute: () => frame,
  path: '/settings',
  component: lazyComponent(() => import('./webhook-settings.tsx'), 'WebhookSettings'),
})
const verify = createRoute({
  getParentRoute: () => frame,
  path: '/verify',
  validateSearch: ({ language, way }: Record<string, unknown>): VerifySearch => ({
    ...(isLanguage(language) ? { language } : {}),
    ...(isWay(way) ? { way } : {}),
  }),
  component: lazyComponent(() => import('./verify.tsx'), 'Verify'),
})

export const webhookRoute = frame.addChildren([deliveries, settings, verify])
