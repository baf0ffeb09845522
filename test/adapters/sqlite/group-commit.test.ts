import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { groupCommit } from '../../../lib/adapters/sqlite/group-commit.ts'
import { createRowCache } from '../../../lib/adapters/sqlite/row-cache.ts'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { createBatchBuilder, type WriteBatch } from '../../../lib/adapters/sqlite/write-batch.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { declared, type Job, job, jobs, lines, openJobs, UNCOUNTABLE } from './samples.ts'

describe('a group commit', () => {
  it('shows nothing before the transaction has ended', async () => {
    const store = openJobs(':memory:')
    const promised = store.commit({ insert: jobs, row: job(1) })
    expect(await store.get(jobs, 'j1')).toBeUndefined()
    await promised
    expect(await store.get(jobs, 'j1')).toEqual(job(1))
    await store.close()
  })
  it('takes at most 512 commits in one turn of the event loop', async () => {
    const store = openJobs(':memory:')
    const all = Array.from({ length: 1_100 }, (_, n) => store.commit({ insert: jobs, row: job(n) }))
    const counts: number[] = []
    for (let turn = 0; turn < 3; turn += 1) {
      await nextTurn()
      counts.push(await store.count(jobs, { index: 'newest' }))
    }
    expect(counts).toEqual([512, 1_024, 1_100])
    expect((await Promise.all(all)).every(({ applied }) => applied)).toBe(true)
    await store.close()
  })
  it('takes at most about four million characters of added rows in one turn', async () => {
    const store = openSqliteStore({
      file: ':memory:',
      clock: createFakeClock(),
      collections: declared(lines),
    })
    const text = 'x'.repeat(1_500_000)
    const all = Array.from({ length: 4 }, (_, n) =>
      store.commit({ insert: lines, row: { owner: 'one', id: `l${n}`, text } }),
    )
    const counts: number[] = []
    for (let turn = 0; turn < 2; turn += 1) {
      await nextTurn()
      counts.push(await store.count(lines, { index: 'ofOwner', is: 'one' }))
    }
    expect(counts).toEqual([3, 4])
    await Promise.all(all)
    await store.close()
  })
  it('refuses only the commits that cannot be written, and counts none of them', async () => {
    const store = openJobs(':memory:')
    const first = store.commit({ insert: jobs, row: job(1) })
    const odd = (more: Record<string, unknown>): Job => ({ ...job(2), ...more })
    const refused = Promise.allSettled([
      store.commit({ insert: jobs, row: odd({ rank: 1n }) }),
      store.commit({ insert: jobs, row: odd({ id: 2 }) }),
      store.commit({ insert: jobs, row: job(2) }, [{ insert: jobs, row: job(3, { rank: UNCOUNTABLE }) }]),
      store.commit({ insert: { ...jobs, name: 'strangers' }, row: job(5) }),
      store.commit({ update: jobs, key: 'j1', set: { state: odd({}) as unknown as string } }),
      store.commit({ update: jobs, key: 'j1', add: { state: 1 } }),
      store.commit({ update: jobs, key: 'j1', add: { rank: Number.POSITIVE_INFINITY } }),
      store.commit({ update: jobs, key: ['j1', 'j1'], set: { rank: 1 } }),
    ])
    const last = store.commit({ insert: jobs, row: job(4) })
    expect((await refused).filter(({ status }) => status !== 'rejected')).toEqual([])
    expect((await first).applied && (await last).applied).toBe(true)
    const { rows } = await store.page(jobs, { index: 'newest', order: 'asc', limit: 9 })
    expect(rows).toEqual([job(1), job(4)])
    expect(await store.counters('jobs')).toEqual({ all: { count: 2 } })
    await store.close()
  })
  it('writes what waits when it is closed, and takes no more', async () => {
    const store = openJobs(':memory:')
    const waiting = Array.from({ length: 600 }, (_, n) => store.commit({ insert: jobs, row: job(n) }))
    const closed = store.close()
    const late = store.commit({ insert: jobs, row: job(600) })
    await expect(late).rejects.toMatchObject({ kind: 'unavailable', code: 'storage_closed' })
    await closed
    expect((await Promise.all(waiting)).every(({ applied }) => applied)).toBe(true)
    await store.close()
  })
})

/** A group commit whose writer answers when it is told to. */
const openGroup = () => {
  const batch = createBatchBuilder()
  const asked: { batch: WriteBatch; done: () => void; fail: (reason: unknown) => void }[] = []
  const writer = {
    run: (batch: WriteBatch) =>
      new Promise<void>((done, fail) => {
        asked.push({ batch, done, fail })
      }),
    close: async () => undefined,
  }
  const heard: boolean[] = []
  const group = groupCommit({
    writer,
    batch,
    rowCache: createRowCache(),
    participants: [
      { seal: () => undefined, committed: () => heard.push(group.isWriting), voided: () => undefined },
    ],
  })
  const add = batch.statement('INSERT')
  const outcomes: Promise<'kept' | 'void'>[] = []
  const decideOne = () => {
    batch.add(add, [outcomes.length])
    return 1
  }
  const decide = async (count: number) => {
    for (let n = 0; n < count; n += 1)
      outcomes.push(
        group.decide(decideOne).committed.then(
          () => 'kept',
          () => 'void',
        ),
      )
    await nextTurn()
    await nextTurn()
  }
  return { group, asked, decide, heard, outcomes: () => Promise.all(outcomes) }
}

/** How many commits are in each batch that the writer was given. */
const sizes = (asked: readonly { batch: WriteBatch }[]) => asked.map(({ batch }) => batch.steps.length / 3)

describe('while the writer is at a batch', () => {
  it('few commits wait for it to be free, and go together then', async () => {
    const { asked, decide, outcomes } = openGroup()
    await decide(1)
    await decide(8)
    await decide(7)
    expect(sizes(asked)).toEqual([1])
    asked[0]?.done()
    await decide(0)
    expect(sizes(asked)).toEqual([1, 15])
    asked[1]?.done()
    expect(new Set(await outcomes())).toEqual(new Set(['kept']))
  })

  it('the file may change, until what is kept of it is forgotten', async () => {
    const { group, asked, decide, heard } = openGroup()
    expect(group.isWriting).toBe(false)
    await decide(1)
    expect(group.isWriting).toBe(true)
    asked[0]?.done()
    await decide(0)
    expect([heard, group.isWriting]).toEqual([[true], false])
    await decide(1)
    asked[1]?.fail(new Error('the disk is full'))
    await decide(0)
    expect([heard, group.isWriting]).toEqual([[true], false])
  })

  it('many commits are put ready as one batch, and more of them wait', async () => {
    const { group, asked, decide, outcomes } = openGroup()
    await decide(1)
    await decide(16)
    await decide(40)
    expect(sizes(asked)).toEqual([1, 16])
    asked[0]?.done()
    await decide(0)
    expect(sizes(asked)).toEqual([1, 16, 40])
    for (const { done } of asked) done()
    await group.drained()
    expect(new Set(await outcomes())).toEqual(new Set(['kept']))
  })

  it('and fails, what lies ready is of the era that is over, and what comes later is not', async () => {
    const { asked, decide, outcomes } = openGroup()
    await decide(1)
    await decide(16)
    await decide(3)
    asked[0]?.fail(new Error('the disk is full'))
    await decide(0)
    await decide(1)
    asked[1]?.fail(new Error('the disk is full'))
    await decide(0)
    expect(asked.map(({ batch }) => batch.era)).toEqual([0, 0, 1])
    asked[2]?.done()
    expect(await outcomes()).toEqual([...Array(20).fill('void'), 'kept'])
  })
})
