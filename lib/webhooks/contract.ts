import * as z from 'zod'
import { defineRoutes } from '../http/route.ts'
import { TaskSchema } from '../tasks/schema.ts'
import { type Sender, WebhookStatusSchema } from './schema.ts'
import { wires } from './wire.ts'

/** `task` is the task of the event in its current state, without the agent's results. */
const ReceivedSchema = z.object({ message: z.string(), task: TaskSchema.optional() })
export type Received = z.input<typeof ReceivedSchema>

const text = z.string().optional()

/** Headers are optional here: a missing signature is answered 403 by the check of signatures, not 400. */
const webhookHeaders = (sender: Sender) => {
  const { signature, deliveryHeader, eventHeader } = wires[sender]
  const form = `${signature.prefix}<64 hexadecimal digits>`
  return z.object({
    [signature.header]: text.describe(`HMAC-SHA256 of the body: ${form}. Returns 403 if wrong or missing`),
    [deliveryHeader]: text.describe('Id of the delivery; repeated deliveries create no second task'),
    ...(eventHeader ? { [eventHeader]: text.describe('Type of the event') } : {}),
  })
}

const inbound = <S extends Sender>(sender: S) =>
  ({
    method: 'POST',
    path: `/api/webhooks/${sender}`,
    summary: `Receive a ${wires[sender].says} event`,
    about:
      'Some events create a task. The body must be signed with the webhook secret. The event is stored before the response.',
    access: 'public',
    headers: webhookHeaders(sender),
    rawBody: z.record(z.string(), z.unknown()),
    response: ReceivedSchema,
  }) as const

export const inboundRoutes = defineRoutes({
  codehostEvent: inbound('codehost'),
  trackeraEvent: inbound('trackera'),
  trackerbEvent: inbound('trackerb'),
  webhookStatus: {
    method: 'GET',
    path: '/api/integrations/webhooks/status',
    summary: 'Get the inbound webhook status',
    about:
      'Returns whether the webhook of each provider is configured, and its latest events. Secrets are not included.',
    access: 'session',
    response: WebhookStatusSchema,
  },
})
