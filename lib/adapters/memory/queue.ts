import { backoffMs } from '../../core/backoff.ts'
import { errorMessage, Problem } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Admission, Consumer, Delivery, Fits, Queue, Received, Receiving } from '../../ports/queue.ts'
import { createBacklog, type Taker, type Waiting } from './backlog.ts'

type Needs<Body> = {
  clock: Pick<Clock, 'monotonic' | 'after'>
  log: Pick<Log, 'warn'>
  concurrency: number
  redeliverAfterMs?: number
  /** Without it every message may be taken at any time. */
  admission?: Admission<Body>
}
type Handler<Body> = (delivery: Delivery<Body>) => Promise<void>

/** The worker of this process. `since` orders the takers by when they began to wait. */
type Worker<Body> = { taker: Taker<Body>; handle: Handler<Body>; since: number }
type Receiver<Body> = { taker: Taker<Body>; give(message: Waiting<Body>): void; since: number }

type Depth = { ready: number; delayed: number; running: number }
type MemoryQueue<Body> = Queue<Body> &
  Consumer<Body> &
  Receiving<Body> & {
    /** `running` counts the handlers, not what receivers have taken. */
    depth(): Depth
    /** Changes the number of concurrent handlers; surplus ones end first. */
    resize(concurrency: number): void
    /** Asks the admission again: about what it holds under a name, or about all messages. */
    admit(name?: string): void
  }

const LONGEST_REDELIVERY_MS = 60_000
const DONE = Promise.resolve()
const ANY = () => true

/**
 * A queue in the memory of the process. Sending never fails. A message whose handler rejects comes again after
 * `redeliverAfterMs` (1 s), twice that, and so on up to a minute, without limit; one whose handler rejects with Problem
 * `missing` is dropped. Messages wait before `start` and after `drain`; a drained queue can be started again. Receivers
 * take messages also then.
 *
 * Invariant: a message is taken in a later turn of the event loop than it was sent in. So its sender's promises that are
 * due come first, and messages that send messages do not block the event loop.
 */
export const createMemoryQueue = <Body>(needs: Needs<Body>): MemoryQueue<Body> => {
  const { clock, log, redeliverAfterMs = 1_000, admission } = needs
  let { concurrency } = needs
  const idle: (() => void)[] = []
  let worker: Worker<Body> | undefined
  /** In the order in which they began to wait. */
  const receivers = new Set<Receiver<Body>>()
  let running = 0
  let scheduled = false
  // Messages below this number were sent in an earlier turn.
  let ofEarlierTurns = 0
  let waits = 0

  const isWorkerFree = () => worker !== undefined && running < concurrency

  const wake = () => {
    if (scheduled || backlog.ready === 0 || !(isWorkerFree() || receivers.size > 0)) return
    scheduled = true
    setImmediate(dispatch)
  }
  const backlog = createBacklog<Body>({ clock, onDue: wake, admission })

  const dispatch = () => {
    scheduled = false
    ofEarlierTurns = backlog.sent
    fill()
  }

  const take = (taker: Taker<Body>): Waiting<Body> | undefined => {
    const message = backlog.take(taker, ofEarlierTurns)
    if (message !== undefined) admission?.reserve(message.body)
    return message
  }

  /** Gives the worker a message if it has a free place and one fits. */
  const serveNext = (): boolean => {
    if (worker === undefined || running >= concurrency) return false
    const message = take(worker.taker)
    if (message === undefined) return false
    worker.since = ++waits
    running += 1
    void serve(message, worker.handle)
    return true
  }

  const fill = () => {
    for (const receiver of receivers) {
      while (worker !== undefined && worker.since < receiver.since && serveNext());
      const message = take(receiver.taker)
      if (message) receiver.give(message)
    }
    while (serveNext());
    // What no taker may have would wake them for ever.
    if (backlog.sent > ofEarlierTurns) wake()
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
    admission?.settle(message.body)
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

  const received = (message: Waiting<Body>): Received<Body> => {
    message.receives += 1
    return {
      body: message.body,
      receives: message.receives,
      giveBack() {
        message.receives -= 1
        backlog.putBack(message)
        admission?.settle(message.body)
        wake()
        return DONE
      },
      done: () => DONE,
    }
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
    admit(name) {
      backlog.release(name)
      wake()
    },
    send(messages) {
      for (const message of messages) backlog.add(message)
      wake()
      return DONE
    },
    /** Throws when the queue is started already, or is still draining. */
    start(handle, fits: Fits<Body> = ANY) {
      if (worker || running > 0) throw new Error('The queue is started already, or is still being drained')
      worker = { taker: backlog.join(fits), handle, since: ++waits }
      wake()
    },
    refit(fits) {
      if (worker === undefined) return
      backlog.leave(worker.taker)
      worker.taker = backlog.join(fits)
      wake()
    },
    drain() {
      if (worker) backlog.leave(worker.taker)
      worker = undefined
      return running === 0 ? DONE : new Promise((resolve) => idle.push(resolve))
    },
    get running() {
      return worker !== undefined
    },
    receive(fits, signal) {
      if (signal.aborted) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const end = (message?: Received<Body>) => {
          receivers.delete(receiver)
          backlog.leave(receiver.taker)
          signal.removeEventListener('abort', abort)
          resolve(message)
        }
        const abort = () => end()
        const receiver: Receiver<Body> = {
          taker: backlog.join(fits),
          give: (message) => end(received(message)),
          since: ++waits,
        }
        receivers.add(receiver)
        signal.addEventListener('abort', abort)
        wake()
      })
    },
    positions: (isAsked) => backlog.positions(isAsked, worker?.taker),
    depth: () => ({ ready: backlog.ready, delayed: backlog.delayed, running }),
  }
}

/** The subject of the message does not exist: a repeat cannot succeed. */
const isPoison = (error: unknown) => error instanceof Problem && error.kind === 'missing'

// One process retries its own messages, so jitter is not needed.
const redeliveryMs = (receives: number, baseMs: number) =>
  backoffMs({ attempt: receives, baseMs, type: 'exponential', random: () => 0, maxMs: LONGEST_REDELIVERY_MS })
