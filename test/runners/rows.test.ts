import { describe, expect, it } from '@jest/globals'
import { type RunnerRow, runners } from '../../lib/runners/rows.ts'

const ROW: RunnerRow = {
  id: 'rnr_1',
  name: 'build-1',
  tokenId: 'tok_1',
  userId: 'ann',
  version: '1',
  labels: [],
  agents: [],
  concurrency: 1,
  isolation: 'none',
  running: [],
  registration: 1,
  registeredAt: '2026-01-01T12:00:00.000Z',
  lastSeenAt: '2026-01-01T12:00:00.000Z',
}

describe('a runner', () => {
  it.each<[string, RunnerRow | undefined, RunnerRow | undefined, string[]]>([
    ['registers', undefined, ROW, ['runner.created']],
    ['registers again', ROW, { ...ROW, registration: 2 }, ['runner.updated']],
    ['drains', ROW, { ...ROW, takesNone: true }, ['runner.updated']],
    ['takes tasks again', { ...ROW, takesNone: true }, ROW, ['runner.updated']],
    ['is removed', ROW, undefined, ['runner.removed']],
    ['is removed with a token of many', ROW, { ...ROW, removedAt: ROW.lastSeenAt }, ['runner.updated']],
    ['is heard of', ROW, { ...ROW, lastSeenAt: '2026-01-01T12:00:10.000Z', running: ['task_1'] }, []],
  ])('that %s is told to live readers by its name alone', (_what, before, after, types) => {
    const drafts = runners.publishes?.({ before, after, log: [] }) ?? []
    expect(drafts).toEqual(types.map((type) => ({ type, data: { id: 'rnr_1', name: 'build-1' } })))
  })
})
