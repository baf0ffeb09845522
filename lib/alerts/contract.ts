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
      p256dh: bytes(POINT_BYTES).describe('Public key of the browser'),
      auth: bytes(AUTH_BYTES).describe('Secret of the subscription'),
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
    summary: 'List push subscriptions',
    about:
      'Returns the browsers that receive your notifications, the key to subscribe another one, and your email settings. The key is created on the first call and does not change.',
    access: 'session',
    response: z.object({
      publicKey: z.string().describe('`applicationServerKey` for subscriptions, in base64url'),
      subscriptions: z.array(PushSubscriptionSchema),
      email: EmailAlertsSchema.optional().describe(
        'Email settings; absent if the service has no mail server',
      ),
    }),
  },
  createPushSubscription: {
    method: 'POST',
    path: '/api/alerts/subscriptions',
    summary: 'Create a push subscription',
    about:
      'Turns on notifications in a browser. The body is a subscription of the Push API; sending it again replaces it. It ends with the session of this request: at sign-out, when the session is revoked or expires, or when the account is disabled. At most 20 per user. Returns 400 `url_refused` if the service may not reach the endpoint.',
    access: 'session',
    body: SubscribeSchema,
    status: 201,
    response: z.object({ subscription: PushSubscriptionSchema }),
  },
  deletePushSubscription: {
    method: 'DELETE',
    path: '/api/alerts/subscriptions/{id}',
    summary: 'Delete a push subscription',
    access: 'session',
    params,
    response: z.object({ message: z.string() }),
  },
  testPushSubscription: {
    method: 'POST',
    path: '/api/alerts/subscriptions/{id}/test',
    summary: 'Test a push subscription',
    about:
      'Sends a test notification to the browser. `statusCode` is the response of its push service, or 0 if the session of the subscription has ended.',
    access: 'session',
    params,
    response: z.object({ delivered: z.boolean(), statusCode: z.number() }),
  },
  setEmailAlerts: {
    method: 'PUT',
    path: '/api/alerts/email',
    summary: 'Set email notifications',
    about:
      'Sends messages to the email address of your account; an empty list turns them off. At most one message per minute, covering everything since the last one. Returns 400 `email_not_available` if the service has no mail server (`SMTP_URL`) or your account has no usable address.',
    access: 'session',
    body: EmailAlertsSchema.pick({ topics: true }),
    response: z.object({ email: EmailAlertsSchema }),
  },
  testEmailAlerts: {
    method: 'POST',
    path: '/api/alerts/email/test',
    summary: 'Test email notifications',
    about:
      'Sends a test message to the email address of your account immediately, at most five per minute. `delivered` is true if the mail server accepted it. Returns 503 `email_failed` if the mail server does not respond.',
    access: 'session',
    response: z.object({ delivered: z.boolean() }),
  },
})
