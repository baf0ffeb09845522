import { expect, it } from '@jest/globals'
import { disjoint } from '../../lib/composition/disjoint.ts'

it('joins parts without a common name, and refuses others by that name', () => {
  expect(disjoint({ a: 1 }, { b: 2 }, {})).toEqual({ a: 1, b: 2 })
  expect(() => disjoint({ a: 1 }, { b: 2 }, { b: 3 })).toThrow('Two parts have a member b')
})
