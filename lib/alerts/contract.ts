import * as z from 'zod'
import { idParams } from '../core/id-params.ts'
import { defineRoutes } from '../http/route.ts'
import { AlertTopicsSchema, EmailAlertsSchema, PushSubscriptionSchema } from './schema.ts'
import { AUTH_BYTES, POINT_BYTES } from './web-push.ts'

const bytes = (length: number) =>
  z
    .base64url()
    .max(200)
    .refine(
      (text) => Buffer.from(text, 'base64url').length === length,
      `must be ${length} bytes as base64url`,
    )

const params = idParams('psh')

const SubscribeSchema = z
  .object({
    endpoint: z.url({ protocol: /^https?$/, error: 'must be an https URL' }).max(2_000),
    keys: z.object({
      p256dh: bytes(POINT_BYTES).describe('The public key of the browser'),
      auth: bytes(AUTH_BYTES).describe('The secret of the subscription'),
    }),
    device: PushSubscriptionSchema.shape.device,
    topics: AlertTopicsSchema,
  })
  .meta({
    examples: [
      {
        endpoint: 'https://push.example.com/send/abc',
        keys: {
          p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
          auth: 'BTBZMqHH6r4Tts7J_aSIgg',
        },
        device: 'Firefox on Android',
        topics: ['approvals', 'results'],
      },
    ],
  })
export type Subscribe = z.output<typeof SubscribeSchema>

export const alertRoutes = defineRoutes({
  listPushSubscriptions: {
    method: 'GET',
    path: '/api/alerts',
    summary:
      'List the browsers that receive your notifications, with the key to subscribe one, and the email address',
    about: 'The key is created on the first call and does not change.',
    access: 'session',
    response: z.object({
      publicKey: z.string().describe('The `applicationServerKey` of a subscription, as base64url'),
      subscriptions: z.array(PushSubscriptionSchema),
      email: EmailAlertsSchema.optional().describe('Absent where the service has no mail server'),
    }),
  },
  createPushSubscription: {
    method: 'POST',
    path: '/api/alerts/subscriptions',
    summary: 'Turn on notifications in a browser',
    about:
      'The body is a subscription of the browser (Push API). Sending it again replaces it. At most 20 for each user. An address that the service may not reach is 400 `url_refused`.',
    access: 'session',
    body: SubscribeSchema,
    status: 201,
    response: z.object({ subscription: PushSubscriptionSchema }),
  },
  deletePushSubscription: {
    method: 'DELETE',
    path: '/api/alerts/subscriptions/{id}',
    summary: 'Turn off notifications in a browser',
    access: 'session',
    params,
    response: z.object({ message: z.string() }),
  },
  testPushSubscription: {
    method: 'POST',
    path: '/api/alerts/subscriptions/{id}/test',
    summary: 'Send a test notification to a browser',
    about: 'The status is that of the push service of the browser.',
    access: 'session',
    params,
    response: z.object({ delivered: z.boolean(), statusCode: z.number() }),
  },
  setEmailAlerts: {
    method: 'PUT',
    path: '/api/alerts/email',
    summary: 'Send messages for you to the email address of your account',
    about:
      'No topic turns it off. At most one message a minute: it tells all that has happened since the last one. 400 `email_not_available` where the service has no mail server (`SMTP_URL`), or your account no address that may be used.',
    access: 'session',
    body: EmailAlertsSchema.pick({ topics: true }),
    response: z.object({ email: EmailAlertsSchema }),
  },
  testEmailAlerts: {
    method: 'POST',
    path: '/api/alerts/email/test',
    summary: 'Send a test message to the email address of your account at once',
    about:
      'Five a minute. `delivered` says whether the mail server took it; one that does not answer is 503 `email_failed`.',
    access: 'session',
    response: z.object({ delivered: z.boolean() }),
  },
})
