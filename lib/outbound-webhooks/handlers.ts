import type { Handlers } from '../http/route.ts'
import type { outboundWebhookRoutes } from './contract.ts'
import type { OutboundWebhooks } from './service.ts'

type Needs = { outboundWebhooks: OutboundWebhooks }

export const outboundWebhookHandlers = ({
  outboundWebhooks: webhooks,
}: Needs): Handlers<typeof outboundWebhookRoutes> => ({
  listWebhooks: async () => ({ webhooks: await webhooks.list() }),
  createWebhook: ({ body }, { principal }) => webhooks.create(principal, body),
  getWebhook: async ({ params }) => ({ webhook: await webhooks.get(params.id) }),
  changeWebhook: async ({ params, body }, { principal }) => ({
    webhook: await webhooks.change(principal, params.id, body),
  }),
  deleteWebhook: async ({ params }, { principal }) => {
    await webhooks.remove(principal, params.id)
    return { message: 'Webhook deleted' }
  },
  rotateWebhookSecret: ({ params }, { principal }) => webhooks.rotate(principal, params.id),
  testWebhook: async ({ params }) => ({ delivery: await webhooks.test(params.id) }),
  resumeWebhook: ({ params }, { principal }) => webhooks.resume(principal, params.id),
  recoverWebhook: async ({ params, body }) => ({ count: await webhooks.recover(params.id, body.since) }),
  listWebhookDeliveries: ({ params, query }) => webhooks.deliveries(params.id, query),
  redeliver: async ({ params }) => ({
    message: 'Redelivered',
    delivery: await webhooks.redeliver(params.id, params.deliveryId),
  }),
})
