import { createHeap } from '../../core/heap.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Outgoing } from '../../ports/queue.ts'
import { createAlarm } from './alarm.ts'
import { createLane, type Waiting } from './lane.ts'

type Needs = { clock: Pick<Clock, 'monotonic' | 'after'>; onDue: () => void }

/** The waiting messages of a queue, in the order in which they are to be served. */
export type Backlog<Body> = {
  /** How many messages may be served now. */
  readonly ready: number
  readonly delayed: number
  /** How many messages have ever been sent, which is the number of the next. */
  readonly sent: number
  add(message: Outgoing<Body>): void
  /** Takes back a message that was served in vain and keeps its place in the order. */
  sendBack(message: Waiting<Body>, delayMs: number): void
  /** Removes the message that is next in line, if its number is below `before`. */
  take(before: number): Waiting<Body> | undefined
}

/** An empty backlog; `onDue` hears that delayed messages have become ready. */
export const createBacklog = <Body>({ clock, onDue }: Needs): Backlog<Body> => {
  const lanes = [createLane<Body>(), createLane<Body>(), createLane<Body>(), createLane<Body>()] as const
  const delayed = createHeap<Waiting<Body>>((a, b) => a.dueAt < b.dueAt)
  let sent = 0

  const promote = () => {
    const now = clock.monotonic()
    for (let next = delayed.peek(); next && next.dueAt <= now; next = delayed.peek()) {
      delayed.pop()
      lanes[laneOf(next)].rejoin(next)
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
      return lanes[0].size + lanes[1].size + lanes[2].size + lanes[3].size
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
      else lanes[laneOf(message)].append(message)
    },
    sendBack: delay,
    take: (before) =>
      lanes[0].take(before) ?? lanes[1].take(before) ?? lanes[2].take(before) ?? lanes[3].take(before),
  }
}

const laneOf = (message: Waiting<unknown>) => (message.priority - 1) as 0 | 1 | 2 | 3
