import { type TurnMessage, TurnMessageSchema } from '../approvals/schema.ts'
import { type Notice, NoticeSchema } from '../composition/notices.ts'
import type { Message } from '../core/collection.ts'
import { definedFields } from '../core/defined-fields.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Outgoing, Queue } from '../ports/queue.ts'
import type { RunTask } from '../tasks/schema.ts'

/** A message in a queue of this process, and the callback of its handled message. */
type Local<Name extends string, Body> = { [N in Name]: Body } & { handled: () => void }
export type LocalNotice = Local<'notice', Notice>
export type LocalTurn = Local<'turn', TurnMessage>

type Needs = {
  tasks: Pick<Queue<RunTask>, 'send'>
  notices: Pick<Queue<LocalNotice>, 'send'>
  turns: Pick<Queue<LocalTurn>, 'send'>
  clock: Pick<Clock, 'now'>
  log: Pick<Log, 'error'>
}

/**
 * Delivers messages of storage to the queues of this process. A run message counts as delivered once it is queued,
 * since it is rebuilt from its task; any other once it was handled. A message that is rejected is delivered again.
 */
export const createLocalDelivery = ({ tasks, notices, turns, clock, log }: Needs) => {
  const waiting = new Set<(reason: unknown) => void>()
  let stopped = false

  const delayMs = ({ notBefore }: Message) =>
    notBefore === undefined ? 0 : Math.max(0, Date.parse(notBefore) - clock.now())

  const enqueue = async (message: Message, handled: () => void): Promise<void> => {
    const { to, body, priority = 3, group, lane, owner } = message
    const outgoing = <Body>(sent: Body): Outgoing<Body>[] => [
      { body: sent, priority, delayMs: delayMs(message), ...definedFields({ group, lane, owner }) },
    ]
    if (to === 'run') return tasks.send(outgoing(body as RunTask))
    if (to === 'notices') return notices.send(outgoing({ notice: parsedNotice(body), handled }))
    if (to === 'turns') return turns.send(outgoing({ turn: parsedTurn(body), handled }))
    // A row of the outbox may name a channel of another release.
    throw new Error(`No channel is called ${to}`)
  }

  const deliverOne = async (message: Message): Promise<void> => {
    const { to, id } = message
    if (stopped && to !== 'run') throw processEnds()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    try {
      await enqueue(message, resolve)
    } catch (thrown) {
      log.error({ channel: to, messageId: id, reason: errorMessage(thrown) }, 'a message could not be queued')
      throw thrown
    }
    if (to === 'run') return
    waiting.add(reject)
    await promise.finally(() => waiting.delete(reject))
  }

  return {
    deliver: async (messages: readonly Message[]): Promise<void> => {
      await Promise.all(messages.map(deliverOne))
    },
    /** At the end of the process; unhandled messages stay in storage for the next one. */
    stop: (): void => {
      stopped = true
      for (const reject of waiting) reject(processEnds())
    },
  }
}

const processEnds = () => new Error('The process ends')

const UNKNOWN_SHAPE = 'A collection sent a message of an unknown shape'

/** A message of storage as a notice. Throws Problem `internal` for any that is none: no collection may send one. */
const parsedNotice = (body: object): Notice => {
  const { success, data } = NoticeSchema.safeParse(body)
  if (!success) throw new Problem('internal', 'unknown_notice', UNKNOWN_SHAPE)
  return data
}

/** As `parsedNotice`, for a message about approvals. */
const parsedTurn = (body: object): TurnMessage => {
  const { success, data } = TurnMessageSchema.safeParse(body)
  if (!success) throw new Problem('internal', 'unknown_turn_message', UNKNOWN_SHAPE)
  return data
}
