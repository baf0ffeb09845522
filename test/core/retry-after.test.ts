import { expect, it } from '@jest/globals'
import { retryAfterMs, retryAfterSeconds } from '../../lib/core/retry-after.ts'

it.each([
  ['120', 120_000],
  ['0', 0],
  ['1.5', 1_500],
  ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
  ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
  ['9999999999999', 86_400_000],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400_000],
  ['2026-01-01T00:00:10Z', 10_000],
  ['Thursday, 01-Jan-26 00:00:10 GMT', 10_000],
  [String(Date.UTC(2026, 0, 1, 0, 1) / 1_000), 60_000],
  [String(Date.UTC(2025, 0, 1) / 1_000), 0],
  ['40s', 40_000],
  ['1m30s', 90_000],
  ['20, 40', 40_000],
  ['20, soon', undefined],
  ['+40', undefined],
  ['40 2', undefined],
  ['soon', undefined],
  ['-5 seconds', undefined],
  ['', undefined],
  [null, undefined],
  [undefined, undefined],
])('Retry-After: %j is a wait of %j ms', (header, waitMs) => {
  expect(retryAfterMs(header, Date.UTC(2026, 0, 1))).toBe(waitMs)
})

it.each([
  [0, '1'],
  [1, '1'],
  [-5_000, '1'],
  [1_001, '2'],
  [20_000, '20'],
  [1e15, '86400'],
  [Number.POSITIVE_INFINITY, '86400'],
  [Number.NaN, '1'],
])('a wait of %j ms is passed on as Retry-After: %s', (waitMs, header) => {
  expect(retryAfterSeconds(waitMs)).toBe(header)
})
