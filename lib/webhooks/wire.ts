import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Sender } from './schema.ts'

type Wire = {
  /** The sender's name, such as `GitHub`. */
  says: string
  /** The header of the signature, and the text before its hexadecimal digits. */
  signature: { header: string; prefix: string }
  deliveryHeader: string
  /** The header with the name of the event, where the payload does not have it. */
  eventHeader?: string
}

export const wires: Readonly<Record<Sender, Wire>> = {
  // docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
  codehost: {
    says: 'GitHub',
    signature: { header: 'x-hub-signature-256', prefix: 'sha256=' },
    deliveryHeader: 'x-github-delivery',
    eventHeader: 'x-github-event',
  },
  // developer.atlassian.com/cloud/jira/platform/webhooks, "Secure admin webhooks"
  trackera: {
    says: 'Jira',
    signature: { header: 'x-hub-signature', prefix: 'sha256=' },
    deliveryHeader: 'x-atlassian-webhook-identifier',
  },
  // linear.app/developers/webhooks, "Securing webhooks"
  trackerb: {
    says: 'Linear',
    signature: { header: 'linear-signature', prefix: '' },
    deliveryHeader: 'linear-delivery',
  },
}

const DIGITS = /^[0-9a-f]{64}$/

/** Whether the header has the HMAC-SHA256 (RFC 2104) of the bytes in lower-case hexadecimal; in constant time. */
export const isSigned = (
  bytes: Buffer,
  given: string | undefined,
  { prefix }: Pick<Wire['signature'], 'prefix'>,
  secret: string | undefined,
): boolean => {
  if (secret === undefined || given === undefined || !given.startsWith(prefix)) return false
  const digits = given.slice(prefix.length)
  if (!DIGITS.test(digits)) return false
  return timingSafeEqual(createHmac('sha256', secret).update(bytes).digest(), Buffer.from(digits, 'hex'))
}
