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
    [signature.header]: text.describe(`HMAC-SHA256 of the body: ${form}. Wrong or missing: 403`),
    [deliveryHeader]: text.describe('Id of the delivery; a repeat creates no second task'),
    ...(eventHeader ? { [eventHeader]: text.describe('Type of the event') } : {}),
  })
}

const inbound = <S extends Sender>(sender: S) =>
  ({
    method: 'POST',
    path: `/api/webhooks/${sender}`,
    summary: `Receive an event of ${wires[sender].says}; some create a task`,
    about:
      'Signed with the secret of its webhook, over the bytes of the body. It is stored before the answer.',
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
    summary: 'Whether the webhooks of each provider are configured, and their latest events',
    about: 'Secrets are not shown, only whether they are set.',
    access: 'session',
    response: WebhookStatusSchema,
  },
})
