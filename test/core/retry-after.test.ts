import { expect, it } from '@jest/globals'
import { retryAfterMs } from '../../lib/core/retry-after.ts'

it.each([
  ['120', 120_000],
  ['0', 0],
  ['1.5', 1_500],
  ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
  ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
  ['soon', undefined],
  ['-5 seconds', undefined],
  ['', undefined],
  [null, undefined],
  [undefined, undefined],
])('Retry-After: %j is a wait of %j ms', (header, waitMs) => {
  expect(retryAfterMs(header, Date.UTC(2026, 0, 1))).toBe(waitMs)
})
