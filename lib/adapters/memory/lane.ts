import { createFifo } from '../../core/fifo.ts'
import { createHeap } from '../../core/heap.ts'
import type { Outgoing } from '../../ports/queue.ts'

/** A message that waits. `order` numbers messages as they were sent; `dueAt` is monotonic milliseconds. */
export type Waiting<Body> = {
  readonly body: Body
  readonly priority: Outgoing<Body>['priority']
  readonly order: number
  receives: number
  dueAt: number
}

/**
 * The ready messages of one priority, in the order of sending. Most come in that order and queue up in a list; those
 * that were kept back meanwhile stand in a heap, and whichever was sent first is next.
 */
export type Lane<Body> = {
  readonly size: number
  /** Takes in a message that was sent after all that were appended before. */
  append(message: Waiting<Body>): void
  /** Takes in a message that was kept back. */
  rejoin(message: Waiting<Body>): void
  /** Removes the next message, if its number is below `before`. */
  take(before: number): Waiting<Body> | undefined
}

/** An empty lane. */
export const createLane = <Body>(): Lane<Body> => {
  const sent = createFifo<Waiting<Body>>()
  const returned = createHeap<Waiting<Body>>((a, b) => a.order < b.order)
  return {
    get size() {
      return sent.size + returned.size
    },
    append: sent.push,
    rejoin: returned.push,
    take(before) {
      const a = sent.peek()
      const b = returned.peek()
      if (b && b.order < before && (!a || b.order < a.order)) return returned.pop()
      return a && a.order < before ? sent.shift() : undefined
    },
  }
}
