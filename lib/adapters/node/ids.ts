import { randomFillSync } from 'node:crypto'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'

type Needs = { clock: Pick<Clock, 'now'>; fill?: (numbers: Uint32Array<ArrayBuffer>) => void }

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Two digits of Crockford base32 for each 10 bits. */
const PAIRS = Array.from(DIGITS, (high) => Array.from(DIGITS, (low) => high + low)).flat()

const POOL = 1_024
const TAIL_BITS = 30
const STEP_MASK = 2 ** 20 - 1

/**
 * Monotonic ULIDs: 48 bits of time, then 80 bits of cryptographic randomness, drawn again for each millisecond. Within
 * one millisecond, and while the clock is behind an earlier id, the random part grows by a random step of up to 2^20, so
 * that ids keep their order and a neighbour cannot be guessed in one try.
 */
export const createIds = ({ clock, fill = randomFillSync }: Needs): Ids => {
  const random = createRandom(fill)
  let time = -1
  // The random part is head · 2^30 + tail; time and head are formatted only when they change.
  let head = 0
  let tail = 0
  let written = ''
  const restart = (now: number) => {
    time = now
    // One bit of 50 stays 0: an overflow would take more than 2^59 ids in one millisecond.
    head = (random() & 0x1ffff) * 2 ** 32 + random()
    tail = random() >>> (32 - TAIL_BITS)
    written = digits(time, 10) + digits(head, 10)
  }
  const advance = () => {
    tail += 1 + (random() & STEP_MASK)
    if (tail < 2 ** TAIL_BITS) return
    tail -= 2 ** TAIL_BITS
    head += 1
    written = digits(time, 10) + digits(head, 10)
  }
  return {
    next(kind) {
      const now = clock.now()
      if (now > time) restart(now)
      else advance()
      return `${kind}_${written}${PAIRS[tail >>> 20]}${PAIRS[(tail >>> 10) & 1023]}${PAIRS[tail & 1023]}`
    },
  }
}

/** Random numbers of 32 bits, drawn in pools, since a call of the system's generator costs more than an id. */
const createRandom = (fill: (numbers: Uint32Array<ArrayBuffer>) => void) => {
  const pool = new Uint32Array(POOL)
  let used = POOL
  return (): number => {
    if (used === POOL) {
      fill(pool)
      used = 0
    }
    return pool[used++] ?? 0
  }
}

/** A whole number below 2^53 in `length` digits of base 32. */
const digits = (value: number, length: number): string => {
  let text = ''
  for (let left = value; text.length < length; left = Math.floor(left / 1024))
    text = `${PAIRS[left % 1024]}${text}`
  return text
}
