import { createHeap } from '../../core/heap.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Admission, Fits, Outgoing } from '../../ports/queue.ts'
import { positionsAmong } from './positions.ts'

/** A waiting message. `order` numbers messages in the order of sending; `dueAt` is monotonic milliseconds. */
export type Waiting<Body> = {
  readonly body: Body
  readonly priority: Outgoing<Body>['priority']
  readonly order: number
  readonly lane: string
  readonly owner: string
  receives: number
  dueAt: number
}

/** The turn in which an owner got a message of each priority last; absent before the first one. */
type Owner = { [priority: number]: number }
/** The ready messages of one owner in a lane. */
type Messages<Body> = ReturnType<typeof createHeap<Waiting<Body>>>
type Line<Body> = {
  lane: Lane<Body>
  owner: Owner
  /** One of its messages. */
  sample: Body
  ready: Messages<Body>
  /** Messages that the admission holds, by the name under which it does. `ready` and `held` are not both empty. */
  held: Map<string, Messages<Body>>
}
/** `sample` is one of its messages: each of them fits the same takers. */
type Lane<Body> = { sample: Body; lines: Map<string, Line<Body>> }
/** A taker of messages, with the lanes that fit it and have a ready message. */
export type Taker<Body> = { readonly fits: Fits<Body>; readonly lanes: Set<Lane<Body>> }

type Needs<Body> = {
  clock: Pick<Clock, 'monotonic' | 'after'>
  onDue: () => void
  admission?: Pick<Admission<Body>, 'holdsOwner' | 'heldUnder'> | undefined
}

/** Beyond that the positions are not told: they take 10 ms for so many messages. */
const MOST_IN_ORDER = 50_000

const isMoreUrgent = <Body>(a: Waiting<Body>, b: Waiting<Body>): boolean =>
  a.priority === b.priority ? a.order < b.order : a.priority < b.priority

/**
 * The waiting messages of a queue in the order of service: by priority, then the owner who has waited longest for a turn,
 * then the order of sending. A take looks at one message of each owner in each lane that fits, however many wait.
 * `onDue` is called when delayed messages become ready. A message that the admission holds by itself is put aside when it is
 * first in its line, until `release`, so that it is not looked at again.
 */
export const createBacklog = <Body>({ clock, onDue, admission }: Needs<Body>) => {
  const lanes = new Map<string, Lane<Body>>()
  const owners = new Map<string, Owner>()
  const takers = new Set<Taker<Body>>()
  const delayed = createHeap<Waiting<Body>>((a, b) => a.dueAt < b.dueAt)
  let ready = 0
  let sent = 0
  let turn = 0
  /** One timer rings for the message that is due first. */
  let rings: { at: number; cancel: () => void } | undefined

  const addLane = (name: string, sample: Body): Lane<Body> => {
    const lane = { sample, lines: new Map<string, Line<Body>>() }
    lanes.set(name, lane)
    for (const taker of takers) if (taker.fits(sample)) taker.lanes.add(lane)
    return lane
  }

  const newMessages = () => createHeap<Waiting<Body>>(isMoreUrgent)
  /** The lines with messages that are held under a name. */
  const linesHeld = new Map<string, Set<Line<Body>>>()

  const addLine = (lane: Lane<Body>, name: string, sample: Body): Line<Body> => {
    const owner = owners.get(name) ?? {}
    owners.set(name, owner)
    const line = { lane, owner, sample, ready: newMessages(), held: new Map() }
    lane.lines.set(name, line)
    return line
  }

  const push = (message: Waiting<Body>): void => {
    const lane = lanes.get(message.lane) ?? addLane(message.lane, message.body)
    const line = lane.lines.get(message.owner) ?? addLine(lane, message.owner, message.body)
    line.ready.push(message)
    ready += 1
  }

  const removeLine = ({ lane }: Line<Body>, last: Waiting<Body>): void => {
    lane.lines.delete(last.owner)
    if (lane.lines.size > 0) return
    lanes.delete(last.lane)
    for (const taker of takers) taker.lanes.delete(lane)
    // The turns begin anew, so that owners of former times take no memory.
    if (ready === 0) owners.clear()
  }

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
      push(next)
    }
    ringFor(delayed.peek())
    onDue()
  }

  const delay = (message: Waiting<Body>, delayMs: number) => {
    message.dueAt = clock.monotonic() + delayMs
    delayed.push(message)
    ringFor(delayed.peek())
  }

  const messagesIn = (group: readonly Lane<Body>[]): Waiting<Body>[] =>
    group.flatMap(({ lines }) =>
      [...lines.values()].flatMap(({ ready, held }) => [
        ...ready.items,
        ...[...held.values()].flatMap(({ items }) => items),
      ]),
    )

  const hold = (line: Line<Body>, name: string, message: Waiting<Body>): void => {
    const held = line.held.get(name) ?? newMessages()
    line.held.set(name, held)
    held.push(message)
    const lines = linesHeld.get(name) ?? new Set()
    linesHeld.set(name, lines.add(line))
  }

  /** Takes one message of a line, or all, back from those that are held under a name. */
  const release = (line: Line<Body>, name: string, most: number): void => {
    const held = line.held.get(name)
    for (let n = 0; n < most; n++) {
      const message = held?.pop()
      if (message) line.ready.push(message)
      else break
    }
    if (held && held.size > 0) return
    line.held.delete(name)
    const lines = linesHeld.get(name)
    lines?.delete(line)
    if (lines?.size === 0) linesHeld.delete(name)
  }

  /** The first message of a line that may be taken. Those before it that are held are put aside. */
  const firstIn = (line: Line<Body>, before: number): Waiting<Body> | undefined => {
    if (admission?.holdsOwner(line.sample)) return undefined
    for (let head = line.ready.peek(); head !== undefined && head.order < before; head = line.ready.peek()) {
      const name = admission?.heldUnder(head.body)
      if (name === undefined) return head
      line.ready.pop()
      hold(line, name, head)
    }
    return undefined
  }

  const isBefore = (a: Line<Body>, b: Line<Body>): boolean => {
    const [headA, headB] = [a.ready.peek(), b.ready.peek()]
    if (headA === undefined || headB === undefined) return headA !== undefined
    const { priority } = headA
    if (priority !== headB.priority || a.owner === b.owner) return isMoreUrgent(headA, headB)
    const turns = (a.owner[priority] ?? 0) - (b.owner[priority] ?? 0)
    return turns === 0 ? headA.order < headB.order : turns < 0
  }

  /** The line whose first message is the next one for a taker, of those with a number below `before`. */
  const firstLine = (taker: Taker<Body>, before: number): Line<Body> | undefined => {
    let first: Line<Body> | undefined
    for (const lane of taker.lanes)
      for (const line of lane.lines.values())
        if (firstIn(line, before) !== undefined && (!first || isBefore(line, first))) first = line
    return first
  }

  return {
    /** The number of ready messages. */
    get ready(): number {
      return ready
    },
    get delayed(): number {
      return delayed.size
    },
    /** The number of messages sent so far, which is the number of the next. */
    get sent(): number {
      return sent
    },
    add({ body, priority, delayMs = 0, lane = '', owner = '' }: Outgoing<Body>): void {
      const message = { body, priority, order: sent++, lane, owner, receives: 0, dueAt: 0 }
      if (delayMs > 0) delay(message, delayMs)
      else push(message)
    },
    /** Returns a message that failed; it keeps its place in the order. */
    sendBack: delay,
    /** Returns a message at once to its place in the order. */
    putBack: push,
    /** Looks again at one message of each line that is held under a name, or at all that are held. */
    release(name?: string): void {
      if (name === undefined)
        for (const [each, lines] of linesHeld)
          for (const line of lines) release(line, each, Number.POSITIVE_INFINITY)
      else for (const line of linesHeld.get(name) ?? []) release(line, name, 1)
    },
    /** Begins to watch the lanes that fit, until `leave`. */
    join(fits: Fits<Body>): Taker<Body> {
      const taker = { fits, lanes: new Set<Lane<Body>>() }
      for (const lane of lanes.values()) if (fits(lane.sample)) taker.lanes.add(lane)
      takers.add(taker)
      return taker
    },
    leave: (taker: Taker<Body>): void => void takers.delete(taker),
    /**
     * The positions of the ready messages asked for, each among those of its lane; the lanes of `worker` count as one.
     * Undefined when too many messages wait.
     */
    positions(
      isAsked: (body: Body) => boolean,
      worker: Taker<Body> | undefined,
    ): Map<Body, number> | undefined {
      if (ready > MOST_IN_ORDER) return undefined
      const served = (owner: string, priority: number) => owners.get(owner)?.[priority] ?? 0
      const shared = [...lanes.values()].filter((lane) => worker?.lanes.has(lane))
      const groups = [
        shared,
        ...[...lanes.values()].filter((lane) => !worker?.lanes.has(lane)).map((lane) => [lane]),
      ]
      return new Map(groups.flatMap((group) => [...positionsAmong(messagesIn(group), isAsked, served)]))
    },
    /** Removes the first ready message in the order of service that fits the taker and has a number below `before`. */
    take(taker: Taker<Body>, before: number): Waiting<Body> | undefined {
      const line = firstLine(taker, before)
      const message = line?.ready.pop()
      if (line === undefined || message === undefined) return undefined
      ready -= 1
      line.owner[message.priority] = ++turn
      if (line.ready.size === 0 && line.held.size === 0) removeLine(line, message)
      return message
    },
  }
}
