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
  .min(1, 'choose at least one event')
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
    error: 'makes a secret, and one was given',
  })
export type CreateWebhook = z.output<typeof CreateWebhookBody>

const ChangeWebhookBody = z
  .object({
    url: url.exactOptional(),
    events: events.exactOptional(),
    active: z.boolean().exactOptional(),
    secret: secret.nullable().exactOptional().describe('Null: deliveries are signed no more'),
  })
  .meta({ examples: [{ active: true }] })
export type ChangeWebhook = z.output<typeof ChangeWebhookBody>

const DeliveriesQuery = z.object({ ...pageQuery, status: DeliveryStatusSchema.optional() })
export type DeliveriesQuery = z.output<typeof DeliveriesQuery>

const params = idParams('whk')
const answer = z.object({ webhook: WebhookSchema })
const shownOnce = z.string().describe('Shown this once')

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
    summary: 'Register an outbound webhook: the URL gets its events from now on',
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
    about: 'With its last delivery, and whether it is failing.',
    access: 'webhooks',
    params,
    response: answer,
  },
  changeWebhook: {
    method: 'PATCH',
    path: '/api/webhooks/{id}',
    summary: 'Change an outbound webhook, pause it, or activate it again: what waited is sent then',
    about: 'What is left out stays as it is.',
    access: 'webhooks',
    params,
    body: ChangeWebhookBody,
    response: answer,
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/api/webhooks/{id}',
    summary: 'Delete an outbound webhook; what waits to be sent to it is not sent',
    about: 'Its deliveries are deleted too.',
    access: 'webhooks',
    params,
    response: z.object({ message: z.string() }),
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/api/webhooks/{id}/rotate',
    summary: 'Create a new signing secret; for 24 hours deliveries are signed with the old one as well',
    access: 'webhooks',
    params,
    response: answer.extend({ secret: shownOnce }),
  },
  testWebhook: {
    method: 'POST',
    path: '/api/webhooks/{id}/test',
    summary: 'Send a test event, and answer what came of it',
    about: 'Sent at once and once, also to a webhook that is paused or failing.',
    access: 'webhooks',
    params,
    response: z.object({ delivery: DeliverySchema }),
  },
  resumeWebhook: {
    method: 'POST',
    path: '/api/webhooks/{id}/resume',
    summary: 'Send one delivery to a paused webhook, and activate it only if that succeeds',
    about:
      'The oldest delivery that waits, else the last one that failed, else a test event. `delivery` has what came back. One that is active stays so, and nothing is sent.',
    access: 'webhooks',
    params,
    response: answer.extend({ resumed: z.boolean(), delivery: DeliverySchema.optional() }),
  },
  recoverWebhook: {
    method: 'POST',
    path: '/api/webhooks/{id}/recover',
    summary: 'Send the deliveries again that failed since a time',
    about:
      'Queues the failed deliveries since that time again, and answers how many. 400 `webhook_paused` for one that is paused.',
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
    summary: 'Send a delivery again, failed or not, with the same id and body',
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
