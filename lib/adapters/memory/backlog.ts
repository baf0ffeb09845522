import { createFifo } from '../../core/fifo.ts'
import { createHeap } from '../../core/heap.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Outgoing } from '../../ports/queue.ts'

/** A waiting message. `order` numbers messages in the order of sending; `dueAt` is monotonic milliseconds. */
export type Waiting<Body> = {
  readonly body: Body
  readonly priority: Outgoing<Body>['priority']
  readonly order: number
  receives: number
  dueAt: number
}

/**
 * The ready messages of one priority, in the order of sending. Most arrive in that order, in a list; delayed and returned
 * ones wait in a heap. The one that was sent first is next.
 */
const createReadyList = <Body>() => {
  const sent = createFifo<Waiting<Body>>()
  const returned = createHeap<Waiting<Body>>((a, b) => a.order < b.order)
  return {
    get size() {
      return sent.size + returned.size
    },
    /** Adds a message that was sent after all appended ones. */
    append: sent.push,
    /** Adds a delayed or returned message. */
    rejoin: returned.push,
    /** Removes the next message, if its number is below `before`. */
    take(before: number): Waiting<Body> | undefined {
      const a = sent.peek()
      const b = returned.peek()
      if (b && b.order < before && (!a || b.order < a.order)) return returned.pop()
      return a && a.order < before ? sent.shift() : undefined
    },
  }
}

/** One timer for many times: it rings at the earliest one, and must then be set again. */
type Alarm = { set(at: number | undefined): void }

/** An alarm that is not set. Times are monotonic milliseconds. */
const createAlarm = (clock: Pick<Clock, 'monotonic' | 'after'>, ring: () => void): Alarm => {
  let setFor = Number.POSITIVE_INFINITY
  let cancel: (() => void) | undefined
  const fire = () => {
    setFor = Number.POSITIVE_INFINITY
    ring()
  }
  return {
    set(at) {
      if (at === undefined || at >= setFor) return
      cancel?.()
      setFor = at
      cancel = clock.after(Math.max(0, at - clock.monotonic()), fire)
    },
  }
}

type Needs = { clock: Pick<Clock, 'monotonic' | 'after'>; onDue: () => void }

/** The waiting messages of a queue, in the order of service. */
type Backlog<Body> = {
  /** The number of ready messages. */
  readonly ready: number
  readonly delayed: number
  /** The number of messages sent so far, which is the number of the next. */
  readonly sent: number
  add(message: Outgoing<Body>): void
  /** Returns a message that failed; it keeps its place in the order. */
  sendBack(message: Waiting<Body>, delayMs: number): void
  /** Removes the next message, if its number is below `before`. */
  take(before: number): Waiting<Body> | undefined
}

/** An empty backlog; `onDue` is called when delayed messages become ready. */
export const createBacklog = <Body>({ clock, onDue }: Needs): Backlog<Body> => {
  const list = createReadyList<Body>
  const ready = [list(), list(), list(), list()] as const
  const delayed = createHeap<Waiting<Body>>((a, b) => a.dueAt < b.dueAt)
  let sent = 0

  const promote = () => {
    const now = clock.monotonic()
    for (let next = delayed.peek(); next && next.dueAt <= now; next = delayed.peek()) {
      delayed.pop()
      ready[indexOf(next)].rejoin(next)
    }
    alarm.set(delayed.peek()?.dueAt)
    onDue()
  }
  const alarm = createAlarm(clock, promote)

  const delay = (message: Waiting<Body>, delayMs: number) => {
    message.dueAt = clock.monotonic() + delayMs
    delayed.push(message)
    alarm.set(message.dueAt)
  }

  return {
    get ready() {
      return ready[0].size + ready[1].size + ready[2].size + ready[3].size
    },
    get delayed() {
      return delayed.size
    },
    get sent() {
      return sent
    },
    add({ body, priority, delayMs = 0 }) {
      const message = { body, priority, order: sent++, receives: 0, dueAt: 0 }
      if (delayMs > 0) delay(message, delayMs)
      else ready[indexOf(message)].append(message)
    },
    sendBack: delay,
    take: (before) =>
      ready[0].take(before) ?? ready[1].take(before) ?? ready[2].take(before) ?? ready[3].take(before),
  }
}

const indexOf = (message: Waiting<unknown>) => (message.priority - 1) as 0 | 1 | 2 | 3
