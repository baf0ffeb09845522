import { describe, expect, it } from '@jest/globals'
import { runTimeMs } from '../../lib/core/run-time.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString()
const NOW = Date.parse(at(100))

describe('the run time of a task', () => {
  it.each([
    ['is 0 before its start', {}, 0],
    ['goes on while it runs', { startedAt: at(10) }, 90],
    ['ends with the task', { startedAt: at(10), completedAt: at(30) }, 20],
    ['leaves out what it waited', { startedAt: at(10), completedAt: at(90), waitingMs: 60_000 }, 20],
    ['stands while it waits', { startedAt: at(10), waiting: { since: at(15) } }, 5],
    [
      'leaves out earlier waits as well',
      { startedAt: at(10), waiting: { since: at(40) }, waitingMs: 20_000 },
      10,
    ],
    ['is not negative after a clock was set back', { startedAt: at(10), completedAt: at(5) }, 0],
    [
      'is not negative with more waiting than time',
      { startedAt: at(0), completedAt: at(9), waitingMs: 60_000 },
      0,
    ],
  ])('%s', (_what, times, seconds) => {
    expect(runTimeMs(times, NOW)).toBe(seconds * 1_000)
  })
})
