import { createHmac } from 'node:crypto'

type Signed = { id: string; body: string; secret: string | undefined; atMs: number }

/**
 * The headers that tell a receiver what it was sent, when, and with a secret also by whom: `X-Svc-Signature`, an HMAC of
 * the body alone, and those of Standard Webhooks (https://www.standardwebhooks.com), whose HMAC binds id and time as
 * well. The key is the secret's bytes as they are.
 */
export const signatureHeaders = ({ id, body, secret, atMs }: Signed): Record<string, string> => {
  const timestamp = String(Math.floor(atMs / 1_000))
  const named = { 'webhook-id': id, 'webhook-timestamp': timestamp }
  if (secret === undefined) return named
  return {
    ...named,
    'x-svc-signature': `sha256=${hmac(secret, body).toString('hex')}`,
    'webhook-signature': `v1,${hmac(secret, `${id}.${timestamp}.${body}`).toString('base64')}`,
  }
}

/** RFC 2104, with SHA-256. */
const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest()
