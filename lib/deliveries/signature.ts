import { createHmac } from 'node:crypto'

type Signed = { id: string; body: string; secrets: readonly string[]; atMs: number }

/**
 * `X-Svc-Signature`, an HMAC of the body under the newest secret, and the headers of Standard Webhooks
 * (https://www.standardwebhooks.com), with an HMAC of id, time and body for each secret. The key is the bytes of the
 * secret.
 */
export const signatureHeaders = ({ id, body, secrets, atMs }: Signed): Record<string, string> => {
  const timestamp = String(Math.floor(atMs / 1_000))
  const named = { 'webhook-id': id, 'webhook-timestamp': timestamp }
  const [newest] = secrets
  if (newest === undefined) return named
  const signed = `${id}.${timestamp}.${body}`
  return {
    ...named,
    'x-svc-signature': `sha256=${hmac(newest, body, 'hex')}`,
    'webhook-signature': secrets.map((secret) => `v1,${hmac(secret, signed, 'base64')}`).join(' '),
  }
}

/** A signature can be sent again with its body: one that is stored for people is masked. */
export const withMaskedSignatures = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name.endsWith('-signature') ? value.replaceAll(/(?<==|,)[^ ]+/g, '********') : value,
    ]),
  )

/** RFC 2104, with SHA-256. */
const hmac = (secret: string, text: string, encoding: 'hex' | 'base64') =>
  createHmac('sha256', secret).update(text).digest(encoding)
