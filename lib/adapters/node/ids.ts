import { randomFillSync } from 'node:crypto'
import { base32, ulidTime } from '../../core/ulid.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'

type Needs = { clock: Pick<Clock, 'now'>; fill?: (numbers: Uint32Array<ArrayBuffer>) => void }

const HALF = 2 ** 40
const HALF_DIGITS = 8
const STEP_MASK = 0xf_ffff
/** The random numbers of 256 ids are drawn at once: a draw costs as much as ten ids. */
const DRAWN = 4 * 256

/**
 * Monotonic ULIDs: 48 bits of time, then 80 bits of cryptographic randomness, drawn again for each millisecond. Within
 * one millisecond, and while the clock is behind an earlier id, the random part grows by a random step of up to 2^20, so
 * that ids keep their order and a neighbour cannot be guessed in one try.
 */
export const createIds = ({ clock, fill = randomFillSync }: Needs): Ids => {
  const numbers = new Uint32Array(DRAWN)
  let used = DRAWN
  let time = -1
  // The random part, in halves of 40 bits.
  let high = 0
  let low = 0
  return {
    next(kind) {
      const now = clock.now()
      if (used === DRAWN) {
        fill(numbers)
        used = 0
      }
      const draw = () => numbers[used++] ?? 0
      const [a, b, c, d] = [draw(), draw(), draw(), draw()]
      if (now > time) {
        time = now
        // The highest bit stays 0: an overflow would take more than 2^59 ids in one millisecond.
        high = (a & 0x7f) * 2 ** 32 + b
        low = (c & 0xff) * 2 ** 32 + d
      } else low += 1 + (d & STEP_MASK)
      if (low >= HALF) {
        low -= HALF
        high += 1
      }
      return `${kind}_${ulidTime(time)}${base32(high, HALF_DIGITS)}${base32(low, HALF_DIGITS)}`
    },
  }
}
