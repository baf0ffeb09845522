import { backoffMs } from '../../core/backoff.ts'
import { errorMessage, Problem } from '../../core/errors.ts'
import { createHeap } from '../../core/heap.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Consumer, Delivery, Outgoing, Queue } from '../../ports/queue.ts'

type Needs = {
  clock: Pick<Clock, 'monotonic' | 'after'>
  log: Pick<Log, 'warn'>
  concurrency: number
  redeliverAfterMs?: number
}
type Handler<Body> = (delivery: Delivery<Body>) => Promise<void>

type Depth = { ready: number; delayed: number; running: number }
type MemoryQueue<Body> = Queue<Body> &
  Consumer<Body> & {
    depth(): Depth
    /** Changes the number of concurrent handlers; surplus ones end first. */
    resize(concurrency: number): void
  }

const LONGEST_REDELIVERY_MS = 60_000
const DONE = Promise.resolve()

/**
 * A queue in the memory of the process. Sending never fails. A message whose handler rejects comes again after
 * `redeliverAfterMs` (1 s), twice that, and so on up to a minute, without limit; one whose handler rejects with Problem
 * `missing` is dropped. Messages wait before `start` and after `drain`; a drained queue can be started again.
 *
 * Invariant: a message is handled in a later turn of the event loop than it was sent in. So its sender's promises that are
 * due come first, and messages that send messages do not block the event loop.
 */
export const createMemoryQueue = <Body>(needs: Needs): MemoryQueue<Body> => {
  const { clock, log, redeliverAfterMs = 1_000 } = needs
  let { concurrency } = needs
  const idle: (() => void)[] = []
  let handler: Handler<Body> | undefined
  let running = 0
  let scheduled = false
  // Messages below this number were sent in an earlier turn.
  let ofEarlierTurns = 0

  const wake = () => {
    if (scheduled || !handler || backlog.ready === 0 || running >= concurrency) return
    scheduled = true
    setImmediate(dispatch)
  }
  const backlog = createBacklog<Body>({ clock, onDue: wake })

  const dispatch = () => {
    scheduled = false
    ofEarlierTurns = backlog.sent
    fill()
  }

  const fill = () => {
    while (handler && running < concurrency) {
      const message = backlog.take(ofEarlierTurns)
      if (!message) break
      running += 1
      void serve(message, handler)
    }
    wake()
  }

  const serve = async (message: Waiting<Body>, handle: Handler<Body>) => {
    message.receives += 1
    try {
      await handle({ body: message.body, receives: message.receives })
    } catch (error) {
      if (isPoison(error))
        log.warn(
          { body: message.body, error: errorMessage(error) },
          'a message was dropped: its subject does not exist',
        )
      else sendBack(message, error)
    }
    running -= 1
    if (running === 0) for (const resolve of idle.splice(0)) resolve()
    fill()
  }

  const sendBack = (message: Waiting<Body>, error: unknown) => {
    const { body, receives } = message
    const retryInMs = redeliveryMs(receives, redeliverAfterMs)
    backlog.sendBack(message, retryInMs)
    log.warn({ body, receives, retryInMs, error: errorMessage(error) }, 'a message failed and comes again')
  }

  return {
    longestDelayMs: Number.POSITIVE_INFINITY,
    get concurrency() {
      return concurrency
    },
    resize(next) {
      concurrency = next
      wake()
    },
    send(messages) {
      for (const message of messages) backlog.add(message)
      wake()
      return DONE
    },
    /** Throws when the queue is started already, or is still draining. */
    start(next) {
      if (handler || running > 0) throw new Error('The queue is started already, or is still being drained')
      handler = next
      wake()
    },
    drain() {
      handler = undefined
      return running === 0 ? DONE : new Promise((resolve) => idle.push(resolve))
    },
    get running() {
      return handler !== undefined
    },
    depth: () => ({ ready: backlog.ready, delayed: backlog.delayed, running }),
  }
}

/** The subject of the message does not exist: a repeat cannot succeed. */
const isPoison = (error: unknown) => error instanceof Problem && error.kind === 'missing'

// One process retries its own messages, so jitter is not needed.
const redeliveryMs = (receives: number, baseMs: number) =>
  backoffMs({ attempt: receives, baseMs, type: 'exponential', random: () => 0, maxMs: LONGEST_REDELIVERY_MS })

/** A waiting message. `order` numbers messages in the order of sending; `dueAt` is monotonic milliseconds. */
type Waiting<Body> = {
  readonly body: Body
  readonly priority: Outgoing<Body>['priority']
  readonly order: number
  receives: number
  dueAt: number
}

/** The waiting messages of a queue in the order of service. `onDue` is called when delayed messages become ready. */
const createBacklog = <Body>({ clock, onDue }: Pick<Needs, 'clock'> & { onDue: () => void }) => {
  const ready = createHeap<Waiting<Body>>((a, b) =>
    a.priority === b.priority ? a.order < b.order : a.priority < b.priority,
  )
  const delayed = createHeap<Waiting<Body>>((a, b) => a.dueAt < b.dueAt)
  let sent = 0
  /** One timer rings for the message that is due first. */
  let rings: { at: number; cancel: () => void } | undefined

  const ringFor = (next: Waiting<Body> | undefined) => {
    if (next === undefined || (rings !== undefined && rings.at <= next.dueAt)) return
    rings?.cancel()
    const cancel = clock.after(Math.max(0, next.dueAt - clock.monotonic()), promote)
    rings = { at: next.dueAt, cancel }
  }

  const promote = () => {
    rings = undefined
    const now = clock.monotonic()
    for (let next = delayed.peek(); next && next.dueAt <= now; next = delayed.peek()) {
      delayed.pop()
      ready.push(next)
    }
    ringFor(delayed.peek())
    onDue()
  }

  const delay = (message: Waiting<Body>, delayMs: number) => {
    message.dueAt = clock.monotonic() + delayMs
    delayed.push(message)
    ringFor(delayed.peek())
  }

  return {
    /** The number of ready messages. */
    get ready(): number {
      return ready.size
    },
    get delayed(): number {
      return delayed.size
    },
    /** The number of messages sent so far, which is the number of the next. */
    get sent(): number {
      return sent
    },
    add({ body, priority, delayMs = 0 }: Outgoing<Body>): void {
      const message = { body, priority, order: sent++, receives: 0, dueAt: 0 }
      if (delayMs > 0) delay(message, delayMs)
      else ready.push(message)
    },
    /** Returns a message that failed; it keeps its place in the order. */
    sendBack: delay,
    /** Removes the most urgent ready message with a number below `before`, of several the one that was sent first. */
    take: (before: number): Waiting<Body> | undefined =>
      (ready.peek()?.order ?? before) < before ? ready.pop() : undefined,
  }
}
