import type { Webhook, WebhookDelivery } from '../../data/webhooks.ts'

/** The body as sent. */
export const deliveryText = ({ id, event, timestamp, payload }: WebhookDelivery): string =>
  JSON.stringify({ id, event, timestamp, payload })

/** A text for a POSIX shell, which changes nothing between single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const PLACEHOLDER = 'PUT THE SIGNING SECRET HERE'

const signing = [
  `SECRET=${quoted(PLACEHOLDER)}`,
  'AT=$(date +%s)',
  'SIMPLE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d" " -f1)',
  'STANDARD=$(printf %s "$ID.$AT.$BODY" | openssl dgst -sha256 -hmac "$SECRET" -binary | openssl base64 -A)',
]

/** Commands that send a delivery as the service does. They sign it where the webhook has a secret, which the user puts in. */
export const deliveryCurl = ({ url, secret }: Pick<Webhook, 'url' | 'secret'>, delivery: WebhookDelivery) => {
  const isSigned = secret !== undefined
  const headers = [
    "'content-type: application/json'",
    '"webhook-id: $ID"',
    ...(isSigned
      ? ['"webhook-timestamp: $AT"', '"x-svc-signature: sha256=$SIMPLE"', '"webhook-signature: v1,$STANDARD"']
      : ['"webhook-timestamp: $(date +%s)"']),
  ]
  return [
    `ID=${quoted(delivery.id)}`,
    `BODY=${quoted(deliveryText(delivery))}`,
    ...(isSigned ? signing : []),
    `printf %s "$BODY" | curl -X POST ${quoted(url)} \\`,
    ...headers.map((header) => `  -H ${header} \\`),
    '  --data-binary @-',
  ].join('\n')
}
