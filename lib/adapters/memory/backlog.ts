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

type Needs = { clock: Pick<Clock, 'monotonic' | 'after'>; onDue: () => void }

/** The waiting messages of a queue in the order of service. `onDue` is called when delayed messages become ready. */
export const createBacklog = <Body>({ clock, onDue }: Needs) => {
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
