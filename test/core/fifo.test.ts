import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { createFifo } from '../../lib/core/fifo.ts'

// Many steps end exactly where a chunk does.
const step = fc.oneof(
  fc.integer({ min: -2_100, max: 2_100 }),
  fc.constantFrom(-2_048, -1_024, -1, 1, 1_024, 2_048),
)

describe('a list filled at one end and emptied at the other', () => {
  it('gives what an array would, through many chunks, however pushes and shifts mix', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const fifo = createFifo<number>()
        const model: number[] = []
        let pushed = 0
        for (const step of steps) {
          for (let n = 0; n < step; n += 1) {
            model.push(pushed)
            fifo.push(pushed++)
          }
          // At once: to ask Jest about each number takes longer than all that the list does.
          const shifted = Array.from({ length: Math.max(0, -step) }, () => [fifo.shift(), model.shift()])
          expect(shifted.filter(([one, other]) => one !== other)).toEqual([])
          expect([fifo.size, fifo.peek()]).toEqual([model.length, model[0]])
        }
      }),
      { numRuns: 100 },
    )
  })
})
