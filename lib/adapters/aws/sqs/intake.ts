import { Problem } from '../../../core/errors.ts'
import type { Log } from '../../../ports/log.ts'
import type { Delivery } from '../../../ports/queue.ts'
import { type BodySchema, decode } from './message.ts'

/** A message as SQS hands it out. Its `id` is the same in every delivery, also from the dead letter queue. */
export type RawMessage = { id: string; text: string; receives: number }

/** A message as its handler gets it. */
export type Handed<Body> = Delivery<Body> & Pick<RawMessage, 'id'>

/** A message that no handler can make anything of, and why. */
export type Poison = { id: string; reason: string; text: string }

/** Takes over what is poison. When it rejects, the message comes again, so it must stand a repeat. */
export type OnPoison = (poison: Poison) => Promise<unknown>

export type IntakeNeeds<Body> = { parse: BodySchema<Body>; onPoison: OnPoison; log: Pick<Log, 'warn'> }

/**
 * Reads a message and has it handled. Resolves when it is done with, and rejects when it must come again. A message
 * that is not readable, or whose handler throws Problem `missing` (what it names does not exist), is poison: no
 * repetition makes it better, so it goes to `onPoison` with the reason.
 */
export const createIntake =
  <Body>({ parse, onPoison, log }: IntakeNeeds<Body>) =>
  async ({ id, text, receives }: RawMessage, handle: (handed: Handed<Body>) => Promise<void>) => {
    const read = decode(text, parse)
    const reason = 'reason' in read ? read.reason : await reasonOf(handle({ id, body: read.body, receives }))
    if (reason === undefined) return
    await onPoison({ id, reason, text })
    log.warn({ messageId: id, receives, reason }, 'message was poison, put aside')
  }

const reasonOf = async (handled: Promise<void>): Promise<string | undefined> => {
  try {
    await handled
    return undefined
  } catch (thrown) {
    if (thrown instanceof Problem && thrown.kind === 'missing') return thrown.code
    throw thrown
  }
}
