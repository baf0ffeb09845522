import { createHash } from 'node:crypto'
import { Problem } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Store } from '../ports/store.ts'
import type { Labels } from './ask.ts'
import { catalog } from './catalog.ts'
import { isWanting, type Wanting } from './claims.ts'
import { judge } from './judge.ts'
import { oneLine } from './outside-text.ts'
import { payloadOf } from './payload.ts'
import { type InboundEvent, inboundEvents, KEPT_MS } from './rows.ts'
import type { Sender } from './schema.ts'
import { isSigned } from './signature.ts'
import { tallyOf } from './status.ts'
import { taskOf } from './task-of.ts'
import { type Wire, wires } from './wire.ts'

/** A request as it came: its headers by their names in lower case, and the bytes of its body. */
export type Incoming = { header(name: string): string | undefined; bytes(): Buffer }

type Needs = {
  store: Store
  clock: Clock
  ids: Ids
  labels: Labels
  secrets: Readonly<Record<Sender, { webhookSecret?: string | undefined }>>
}

const LONGEST_ID = 200

/**
 * Stores an event, once whoever sent it is known; answers it as it is stored, by this request or one before. Throws
 * Problem `forbidden` when the signature is not right, of which every reason looks the same.
 */
export const createReceive = ({ store, clock, ids, labels, secrets }: Needs) => {
  const eventOf = (sender: Sender, { header }: Incoming, bytes: Buffer): InboundEvent => {
    const wire = wires[sender]
    const payload = payloadOf(bytes, header('content-type'))
    const named = wire.eventHeader && header(wire.eventHeader)
    const { event, verdict } = judge(catalog[sender], payload, named, labels)
    const now = clock.now()
    const stored = {
      // Plain, for it names files too.
      id: `${sender}-${createHash('sha256').update(bytes).digest('hex')}`,
      ...{ sender, event, ...deliveryIn(wire, header) },
      receivedAt: iso(now),
      body: bytes.toString('utf8'),
      expiresAt: now + KEPT_MS,
    }
    if (typeof verdict === 'string') return { ...stored, nothing: verdict }
    const makes = ids.next('task')
    const wants = taskOf(sender, event, verdict, makes)
    return { ...stored, makes, wants, issue: verdict.issue, openSince: stored.receivedAt }
  }

  /**
   * What asked for nothing asks for something now: a label that is set right since, a header that was missing. Whoever is
   * the first to say so says which task, so that one body makes one.
   */
  const reconsidered = async (row: Wanting): Promise<InboundEvent> => {
    const { id, receivedAt: _first, body: _same, sender: _too, ...set } = row
    const { row: standing } = await store.commit<InboundEvent>({
      update: inboundEvents,
      key: id,
      when: { makes: null },
      set,
      unset: ['nothing'],
    })
    return standing ?? row
  }

  return async (sender: Sender, incoming: Incoming): Promise<InboundEvent> => {
    const { signature } = wires[sender]
    const bytes = incoming.bytes()
    const given = incoming.header(signature.header)
    if (!isSigned(bytes, given, signature, secrets[sender].webhookSecret)) throw notSigned(signature.header)
    const row = eventOf(sender, incoming, bytes)
    const head = { insert: inboundEvents, row }
    const { applied, row: standing } = await store.commit<InboundEvent>(head, [tallyOf(row)])
    if (applied || standing === undefined) return row
    return isWanting(row) && standing.makes === undefined ? reconsidered(row) : standing
  }
}

const deliveryIn = ({ deliveryHeader }: Wire, header: Incoming['header']) => {
  const delivery = oneLine(header(deliveryHeader), LONGEST_ID)
  return delivery === undefined ? {} : { delivery }
}

const notSigned = (header: string) =>
  new Problem(
    'forbidden',
    'invalid_signature',
    `The signature is invalid: ${header} has to sign the body with the secret that is set here for this sender`,
  )
