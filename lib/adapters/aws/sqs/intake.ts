import { Problem } from '../../../core/errors.ts'
import type { Log } from '../../../ports/log.ts'
import type { Delivery } from '../../../ports/queue.ts'
import { type BodySchema, decode } from './message.ts'

/** A message as SQS hands it out. */
export type RawMessage = { id: string; text: string; receives: number }

/** Takes over a message that no handler can make anything of. When it rejects, the message comes again. */
export type OnPoison = (reason: string, raw: string) => Promise<unknown>

export type IntakeNeeds<Body> = { parse: BodySchema<Body>; onPoison: OnPoison; log: Pick<Log, 'warn'> }

/**
 * Reads a message and has it handled. Resolves when it is done with, and rejects when it must come again. A message
 * that is not readable, or whose handler throws Problem `missing` (what it names does not exist), is poison: no
 * repetition makes it better, so it goes to `onPoison` with the reason.
 */
export const createIntake =
  <Body>({ parse, onPoison, log }: IntakeNeeds<Body>) =>
  async (message: RawMessage, handle: (delivery: Delivery<Body>) => Promise<void>): Promise<void> => {
    const read = decode(message.text, parse)
    const reason =
      'reason' in read ? read.reason : await reasonOf(handle({ body: read.body, receives: message.receives }))
    if (reason === undefined) return
    await onPoison(reason, message.text)
    log.warn({ messageId: message.id, receives: message.receives, reason }, 'message was poison, put aside')
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
