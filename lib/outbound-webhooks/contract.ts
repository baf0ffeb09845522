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
    description: 'Public; private hosts only where OUTBOUND_ALLOW_HOSTS names them',
    examples: ['https://example.com/hooks/tasks'],
  })
const events = z
  .array(EventNameSchema)
  .min(1, 'must have at least one event')
  .max(20)
  .overwrite((names) => [...new Set(names)])
  .meta({ description: '`*` is all, also those of later versions', examples: [['task.failed']] })
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
    secret: secret.nullable().exactOptional().describe('Null stops signing'),
  })
  .meta({ examples: [{ active: true }] })
export type ChangeWebhook = z.output<typeof ChangeWebhookBody>

const DeliveriesQuery = z.object({ ...pageQuery, status: DeliveryStatusSchema.optional() })
export type DeliveriesQuery = z.output<typeof DeliveriesQuery>

const params = idParams('whk')
const answer = z.object({ webhook: WebhookSchema })
const shownOnce = z.string().describe('Shown only once')

export const outboundWebhookRoutes = defineRoutes({
  listWebhooks: {
    method: 'GET',
    path: '/api/webhooks',
    summary: 'List outbound webhooks, newest first',
    about: 'Secrets are not shown.',
    access: 'webhooks',
    response: z.object({ webhooks: z.array(WebhookSchema) }),
  },
  createWebhook: {
    method: 'POST',
    path: '/api/webhooks',
    summary: 'Create an outbound webhook; it receives events from now on',
    about: 'Deliveries are signed by Standard Webhooks, sent up to six times, and kept while the URL fails.',
    access: 'webhooks',
    body: CreateWebhookBody,
    status: 201,
    response: answer.extend({ secret: shownOnce.optional() }),
  },
  getWebhook: {
    method: 'GET',
    path: '/api/webhooks/{id}',
    summary: 'Read an outbound webhook',
    about: 'With its last delivery and state.',
    access: 'webhooks',
    params,
    response: answer,
  },
  changeWebhook: {
    method: 'PATCH',
    path: '/api/webhooks/{id}',
    summary: 'Change, pause or resume an outbound webhook; waiting deliveries are sent when it is resumed',
    about: 'Fields that are not sent stay unchanged.',
    access: 'webhooks',
    params,
    body: ChangeWebhookBody,
    response: answer,
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/api/webhooks/{id}',
    summary: 'Delete an outbound webhook; waiting deliveries are not sent',
    about: 'Its deliveries are deleted too.',
    access: 'webhooks',
    params,
    response: z.object({ message: z.string() }),
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/api/webhooks/{id}/rotate',
    summary: 'Rotate the signing secret; for 24 hours deliveries are signed with both',
    access: 'webhooks',
    params,
    response: answer.extend({ secret: shownOnce }),
  },
  testWebhook: {
    method: 'POST',
    path: '/api/webhooks/{id}/test',
    summary: 'Send a test event and return its result',
    about: 'Sent immediately and only once, also when the webhook is paused or failing.',
    access: 'webhooks',
    params,
    response: z.object({ delivery: DeliverySchema }),
  },
  resumeWebhook: {
    method: 'POST',
    path: '/api/webhooks/{id}/resume',
    summary: 'Send one delivery to a paused webhook, and resume it only if that succeeds',
    about:
      'The oldest delivery that waits, else the last one that failed, else a test event. `delivery` has what came back. One that is active stays so, and nothing is sent.',
    access: 'webhooks',
    params,
    response: answer.extend({ resumed: z.boolean(), delivery: DeliverySchema.optional() }),
  },
  recoverWebhook: {
    method: 'POST',
    path: '/api/webhooks/{id}/recover',
    summary: 'Redeliver the deliveries that failed since a time',
    about:
      'Queues the failed deliveries since that time again, and returns how many. 400 `webhook_paused` for one that is paused.',
    access: 'webhooks',
    params,
    body: z.object({ since: z.iso.datetime({ offset: true }) }),
    status: 202,
    response: z.object({ count: z.number() }),
  },
  listWebhookDeliveries: {
    method: 'GET',
    path: '/api/webhooks/{id}/deliveries',
    summary: 'List the deliveries of an outbound webhook with their attempts, newest first',
    access: 'webhooks',
    params,
    query: DeliveriesQuery,
    response: z.object({ deliveries: z.array(DeliverySchema), ...pageAnswer }),
  },
  redeliver: {
    method: 'POST',
    path: '/api/webhooks/{id}/deliveries/{deliveryId}/redeliver',
    summary: 'Redeliver a delivery with the same id and body',
    about:
      'The receiver recognises it by its id. A webhook that is paused gets it too; where that fails, the delivery waits until it is resumed.',
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
