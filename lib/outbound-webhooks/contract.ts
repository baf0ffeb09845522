import * as z from 'zod'
import { idParams } from '../core/id-params.ts'
import { pageAnswer, pageQuery } from '../core/page.ts'
import { shownText } from '../core/shown-text.ts'
import { defineRoutes } from '../http/route.ts'
import { DeliverySchema, DeliveryStatusSchema, EventNameSchema, WebhookSchema } from './schema.ts'

const url = z
  .url({
    protocol: /^https?$/,
    error: ({ input }) => (input === undefined ? undefined : 'must be an http or https URL'),
  })
  .max(2_000)
  .meta({
    description: 'URL that receives the events. Private hosts must be listed in `OUTBOUND_ALLOW_HOSTS`',
    examples: ['https://example.com/hooks/tasks'],
  })
const events = z
  .array(EventNameSchema)
  .min(1, 'must have at least one event')
  .max(20)
  .overwrite((names) => [...new Set(names)])
  .meta({
    description: 'Events to send; `*` sends all, including those of future versions',
    examples: [['task.failed']],
  })
/** The bytes of the text are the key of the HMAC. */
const secret = shownText(200).pipe(z.string().min(8))

const CreateWebhookBody = z
  .object({
    url,
    events,
    secret: secret.exactOptional(),
    generateSecret: z
      .boolean()
      .exactOptional()
      .meta({ examples: [true] }),
  })
  .refine(({ secret: ownSecret, generateSecret }) => !(ownSecret !== undefined && generateSecret), {
    path: ['generateSecret'],
    error: 'cannot be combined with secret',
  })
export type CreateWebhook = z.output<typeof CreateWebhookBody>

const ChangeWebhookBody = z
  .object({
    url: url.exactOptional(),
    events: events.exactOptional(),
    active: z.boolean().exactOptional(),
    secret: secret.nullable().exactOptional().describe('Signing secret; null stops signing'),
  })
  .meta({ examples: [{ active: true }] })
export type ChangeWebhook = z.output<typeof ChangeWebhookBody>

const DeliveriesQuery = z.object({ ...pageQuery, status: DeliveryStatusSchema.optional() })
export type DeliveriesQuery = z.output<typeof DeliveriesQuery>

const params = idParams('whk')
const answer = z.object({ webhook: WebhookSchema })
const shownOnce = z.string().describe('Signing secret; shown only once')

export const outboundWebhookRoutes = defineRoutes({
  listWebhooks: {
    method: 'GET',
    path: '/api/webhooks',
    summary: 'List webhooks',
    about: 'Returns outbound webhooks, newest first, with masked secrets.',
    access: 'webhooks',
    response: z.object({ webhooks: z.array(WebhookSchema) }),
  },
  createWebhook: {
    method: 'POST',
    path: '/api/webhooks',
    summary: 'Create a webhook',
    about:
      'The outbound webhook receives events from now on. Deliveries are signed according to Standard Webhooks, sent up to six times, and kept while the URL fails.',
    access: 'webhooks',
    body: CreateWebhookBody,
    status: 201,
    response: answer.extend({ secret: shownOnce.optional() }),
  },
  getWebhook: {
    method: 'GET',
    path: '/api/webhooks/{id}',
    summary: 'Get a webhook',
    about: 'Includes its state and the time of its last delivery.',
    access: 'webhooks',
    params,
    response: answer,
  },
  changeWebhook: {
    method: 'PATCH',
    path: '/api/webhooks/{id}',
    summary: 'Update a webhook',
    about:
      'Use `active` to pause or resume the webhook; waiting deliveries are sent when it resumes. Omitted fields stay unchanged.',
    access: 'webhooks',
    params,
    body: ChangeWebhookBody,
    response: answer,
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/api/webhooks/{id}',
    summary: 'Delete a webhook',
    about: 'Its deliveries are also deleted; waiting ones are not sent.',
    access: 'webhooks',
    params,
    response: z.object({ message: z.string() }),
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/api/webhooks/{id}/rotate',
    summary: 'Rotate the secret of a webhook',
    about: 'For 24 hours, deliveries are signed with both secrets.',
    access: 'webhooks',
    params,
    response: answer.extend({ secret: shownOnce }),
  },
  testWebhook: {
    method: 'POST',
    path: '/api/webhooks/{id}/test',
    summary: 'Test a webhook',
    about:
      'Sends a test event immediately and only once, even if the webhook is paused or failing, and returns the result.',
    access: 'webhooks',
    params,
    response: z.object({ delivery: DeliverySchema }),
  },
  resumeWebhook: {
    method: 'POST',
    path: '/api/webhooks/{id}/resume',
    summary: 'Resume a paused webhook',
    about:
      'Sends one delivery and resumes the webhook only if it succeeds: the oldest waiting delivery, otherwise the last failed one, otherwise a test event. `delivery` has the result. For an active webhook, nothing is sent.',
    access: 'webhooks',
    params,
    response: answer.extend({ resumed: z.boolean(), delivery: DeliverySchema.optional() }),
  },
  recoverWebhook: {
    method: 'POST',
    path: '/api/webhooks/{id}/recover',
    summary: 'Retry failed deliveries of a webhook',
    about:
      'Queues the deliveries that failed since `since` again, and returns their number. Returns 400 `webhook_paused` if the webhook is paused.',
    access: 'webhooks',
    params,
    body: z.object({ since: z.iso.datetime({ offset: true }) }),
    status: 202,
    response: z.object({ count: z.number() }),
  },
  listWebhookDeliveries: {
    method: 'GET',
    path: '/api/webhooks/{id}/deliveries',
    summary: 'List the deliveries of a webhook',
    about: 'Includes the attempts of each delivery, newest delivery first.',
    access: 'webhooks',
    params,
    query: DeliveriesQuery,
    response: z.object({ deliveries: z.array(DeliverySchema), ...pageAnswer }),
  },
  redeliver: {
    method: 'POST',
    path: '/api/webhooks/{id}/deliveries/{deliveryId}/redeliver',
    summary: 'Redeliver a delivery',
    about:
      'Sends the same id and body again, so the receiver can detect the repeat. Also works for a paused webhook; if it fails there, the delivery waits until the webhook resumes.',
    access: 'webhooks',
    params: params.extend({
      deliveryId: z
        .string()
        .min(1)
        .max(200)
        .meta({ examples: ['dlv_01KF0Q8Y3V5W7X9Z'] }),
    }),
    response: z.object({ message: z.string(), delivery: DeliverySchema }),
  },
})
