import { expect, it } from '@jest/globals'
import { durationText } from '../../lib/core/time.ts'

it.each([
  [250, '250 ms'],
  [1_000, '1 second'],
  [1_500, '1.5 seconds'],
  [90_000, '90 seconds'],
  [300_000, '5 minutes'],
  [3_600_000, '1 hour'],
  [86_400_000, '24 hours'],
])('a duration of %d ms reads %j', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})
