import type { Sender } from './schema.ts'

/** How a sender's requests are made. */
export type Wire = {
  /** In the API's description: `code host`. */
  says: string
  /** Whose formats it speaks. */
  format: string
  /** Where the signature is, and what stands before its hexadecimal digits. */
  signature: { header: string; prefix: string }
  /** The header that names a delivery; the same when it is repeated. */
  deliveryHeader: string
  /** The header that names the event, where the payload does not. */
  eventHeader?: string
}

export const wires: Readonly<Record<Sender, Wire>> = {
  // docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
  codehost: {
    says: 'code host',
    format: 'GitHub’s',
    signature: { header: 'x-hub-signature-256', prefix: 'sha256=' },
    deliveryHeader: 'x-github-delivery',
    eventHeader: 'x-github-event',
  },
  // developer.atlassian.com/cloud/jira/platform/webhooks, "Secure admin webhooks"
  trackera: {
    says: 'first tracker',
    format: 'Jira’s',
    signature: { header: 'x-hub-signature', prefix: 'sha256=' },
    deliveryHeader: 'x-atlassian-webhook-identifier',
  },
  // linear.app/developers/webhooks, "Securing webhooks"
  trackerb: {
    says: 'second tracker',
    format: 'Linear’s',
    signature: { header: 'linear-signature', prefix: '' },
    deliveryHeader: 'linear-delivery',
  },
}
