import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { createHeap } from '../../lib/core/heap.ts'

describe('a heap', () => {
  it('gives what a sorted list would, however pushes and pops mix', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer()), { maxLength: 300 }), (steps) => {
        const heap = createHeap<number>((a, b) => a < b)
        const model: number[] = []
        for (const step of steps) {
          if (step === null) expect(heap.pop()).toBe(model.shift())
          else {
            heap.push(step)
            model.push(step)
            model.sort((a, b) => a - b)
          }
          expect([heap.size, heap.peek()]).toEqual([model.length, model[0]])
        }
      }),
    )
  })
})
