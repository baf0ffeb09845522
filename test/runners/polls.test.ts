import { describe, expect, it } from '@jest/globals'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { collections } from '../../lib/collections.ts'
import { createStoredPolls } from '../../lib/runners/polls.ts'
import { type RunnerRow, runners } from '../../lib/runners/rows.ts'
import { createFakeClock } from '../fakes/clock.ts'

const ROW: RunnerRow = {
  ...{ id: 'rnr_1', name: 'build-1', tokenId: 'tok_1', userId: 'ann', version: '1' },
  ...{ labels: [], agents: [], concurrency: 1, isolation: 'none', running: [], registration: 1 },
  registeredAt: '2026-01-01T12:00:00.000Z',
  lastSeenAt: '2026-01-01T12:00:00.000Z',
}
const CLAIM = { taskId: 'task_1', fence: 1 }

/** Two processes that answer polls of one runner. */
const opened = async () => {
  const store = openSqliteStore({ file: ':memory:', collections, clock: createFakeClock() })
  await store.commit<RunnerRow>({ insert: runners, row: ROW })
  const open = () => createStoredPolls(store, { seen: async () => undefined })
  return { store, polls: open(), elsewhere: open() }
}

describe('polls of a runner, where processes are many,', () => {
  it('have the claim kept that one answers, and the next one finds it wherever it comes to', async () => {
    const { polls, elsewhere } = await opened()
    const { poll = 0, answered } = (await polls.begin(ROW, [])) ?? {}
    expect(answered).toEqual([])
    expect(await polls.keep(ROW, poll, CLAIM)).toBe(true)
    expect((await elsewhere.begin(ROW, []))?.answered).toMatchObject([CLAIM])
    expect((await polls.begin(ROW, []))?.answered).toEqual([])
  })

  it('begin no more once the runner has begun a later one, by its own numbers since it registered', async () => {
    const { store, elsewhere } = await opened()
    const begin = async (number: number) =>
      elsewhere.begin((await store.get(runners, ROW.id)) as RunnerRow, [], number)
    expect(await begin(2)).toMatchObject({ poll: 1 })
    expect(await begin(1)).toBeUndefined()
    await store.commit<RunnerRow>({ update: runners, key: ROW.id, add: { registration: 1 } })
    expect(await begin(1)).toMatchObject({ poll: 2 })
  })

  it.each<[string, (all: Awaited<ReturnType<typeof opened>>) => Promise<unknown>]>([
    ['a later poll has begun', ({ elsewhere }) => elsewhere.begin(ROW, [])],
    [
      'the runner has registered again',
      ({ store }) => store.commit<RunnerRow>({ update: runners, key: ROW.id, add: { registration: 1 } }),
    ],
    ['the runner was removed', ({ store }) => store.commit<RunnerRow>({ remove: runners, key: ROW.id })],
  ])('get no claim once %s', async (_what, change) => {
    const all = await opened()
    const { poll = 0 } = (await all.polls.begin(ROW, [])) ?? {}
    await change(all)
    expect(await all.polls.keep(ROW, poll, CLAIM)).toBe(false)
  })
})
