import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { definedFields } from '../core/defined-fields.ts'
import { Problem } from '../core/errors.ts'
import { notJson, parseJson } from '../core/json.ts'
import { oneLine } from '../core/shown-text.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import { interpret, type Labels, type Provider, type Verdict } from './ask.ts'
import { codehost } from './codehost.ts'
import { type InboundEvent, KEPT_MS } from './rows.ts'
import type { Sender } from './schema.ts'
import { trackera } from './trackera.ts'
import { trackerb } from './trackerb.ts'
import { isSigned, wires } from './wire.ts'

export const catalog: Readonly<Record<Sender, Provider>> = { codehost, trackera, trackerb }

/** A request: its headers by their names in lower case, and the bytes of its body. */
export type Incoming = { header(name: string): string | undefined; pieces(): AsyncIterable<Buffer> }

export type ReceivedEvent = { event: InboundEvent; verdict: Verdict }

type Needs = {
  clock: Clock
  labels: Labels
  secrets: Readonly<Record<Sender, { webhookSecret?: string | undefined }>>
}

const LONGEST_ID = 200

/** Throws Problem `forbidden` for every kind of wrong signature, and the errors of `parsePayload`. */
export const createReceive =
  ({ clock, labels, secrets }: Needs) =>
  async (sender: Sender, { header, pieces }: Incoming): Promise<ReceivedEvent> => {
    const { signature, deliveryHeader, eventHeader } = wires[sender]
    const bytes = await buffer(pieces())
    if (!isSigned(bytes, header(signature.header), signature, secrets[sender].webhookSecret))
      throw notSigned(signature.header)
    const payload = parsePayload(bytes, header('content-type'))
    const { event, verdict } = interpret(catalog[sender], payload, eventHeader && header(eventHeader), labels)
    const delivery = oneLine(header(deliveryHeader), LONGEST_ID)
    const now = clock.now()
    const row: InboundEvent = {
      // Letters, digits and a hyphen, since storage may use the id as a file name.
      id: `${sender}-${hash('sha256', bytes)}`,
      sender,
      event,
      ...definedFields({ delivery }),
      receivedAt: iso(now),
      body: bytes.toString('utf8'),
      expiresAt: now + KEPT_MS,
    }
    return { event: row, verdict }
  }

const FORM_TYPE = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i

/** JSON, or a form whose field `payload` is JSON. Throws the errors of `parseJson`. */
export const parsePayload = (bytes: Buffer, contentType: string | undefined): unknown => {
  if (!isUtf8(bytes)) throw notJson('is not UTF-8')
  const text = bytes.toString('utf8')
  return parseJson(
    FORM_TYPE.test(contentType ?? '') ? (new URLSearchParams(text).get('payload') ?? '') : text,
  )
}

const notSigned = (header: string) =>
  new Problem(
    'forbidden',
    'invalid_signature',
    `The signature is invalid. Check that the webhook uses the secret set here (header ${header})`,
  )
