import { backoffMs } from '../../../core/backoff.ts'
import { messageOf } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Lane, Received } from './lane.ts'

type Needs = {
  /** In the order in which they are served. */
  lanes: readonly Lane[]
  waitMs: number
  /** How many messages there is room for. */
  room: () => number
  take: (lane: Lane, message: Received) => void
  clock: Pick<Clock, 'after'>
  log: Pick<Log, 'warn'>
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

/**
 * Receives while there is room. A lane is asked only after those before it had nothing. When none has anything, every
 * lane is left with a receive that waits, and whichever brings something first ends the round; the others go on
 * waiting, which tells later rounds that those lanes are empty. What they bring when there is no room left is given
 * back at once.
 */
export const createPolling = ({ lanes, waitMs, room, take, clock, log }: Needs) => {
  const parked = new Map<Lane, Promise<number>>()
  let failures = 0
  let going = false

  const receive = async (lane: Lane, longestMs: number): Promise<number> => {
    try {
      const messages = await lane.receive(room(), longestMs)
      failures = 0
      for (const message of messages)
        if (room() > 0) take(lane, message)
        else void lane.giveBack(message, 0)
      return messages.length
    } catch (thrown) {
      await pauseAfter(thrown)
      return 0
    }
  }

  const pauseAfter = (thrown: unknown): Promise<void> => {
    failures += 1
    const retryInMs = backoffMs({
      attempt: failures,
      baseMs: FIRST_PAUSE_MS,
      type: 'exponential',
      random: () => 0,
      maxMs: LONGEST_PAUSE_MS,
    })
    // Once drained nobody waits for messages, and the client may be gone.
    if (room() > 0) log.warn({ retryInMs, error: messageOf(thrown) }, 'no messages could be received')
    return new Promise((resolve) => clock.after(retryInMs, resolve))
  }

  const park = (lane: Lane): Promise<number> => {
    const waiting = parked.get(lane) ?? receive(lane, waitMs).finally(() => parked.delete(lane))
    parked.set(lane, waiting)
    return waiting
  }

  const round = async (): Promise<void> => {
    for (const lane of lanes) {
      if (parked.has(lane)) continue
      if (room() === 0 || (await receive(lane, 0)) > 0) return
    }
    if (room() > 0) await Promise.race(lanes.map(park))
  }

  return {
    /** Says that there may be room. */
    async go(): Promise<void> {
      if (going) return
      going = true
      while (room() > 0) await round()
      going = false
    },
  }
}
