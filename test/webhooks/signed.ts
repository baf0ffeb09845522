import { createHmac } from 'node:crypto'
import type { Sender } from '../../lib/webhooks/schema.ts'

export const SECRETS: Readonly<Record<Sender, string>> = {
  codehost: 'It is a secret of the code host!',
  trackera: 'a secret of the first tracker',
  trackerb: 'lin_wh_0123456789abcdef',
}

export const secretEnv: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SECRETS).map(([sender, secret]) => [`${sender.toUpperCase()}_WEBHOOK_SECRET`, secret]),
)

const HEADERS: Readonly<Record<Sender, readonly [signature: string, delivery: string]>> = {
  codehost: ['x-hub-signature-256', 'x-github-delivery'],
  trackera: ['x-hub-signature', 'x-atlassian-webhook-identifier'],
  trackerb: ['linear-signature', 'linear-delivery'],
}

export type Delivery = {
  sender: Sender
  body: string | Buffer
  /** The event, where a header names it. */
  event?: string
  delivery?: string
  secret?: string
}

/** The headers of a delivery, its signature among them. */
export const signedHeaders = ({ sender, body, event, delivery, secret = SECRETS[sender] }: Delivery) => {
  const [signature, id] = HEADERS[sender]
  const digits = createHmac('sha256', secret).update(body).digest('hex')
  return {
    'content-type': 'application/json',
    [signature]: sender === 'trackerb' ? digits : `sha256=${digits}`,
    ...(event === undefined ? {} : { 'x-github-event': event }),
    ...(delivery === undefined ? {} : { [id]: delivery }),
  }
}
