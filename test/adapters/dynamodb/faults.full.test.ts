import { beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { Problem } from '../../../lib/core/errors.ts'
import type { AnyWrite, Store } from '../../../lib/ports/store.ts'
import { lines, note, notes, samples } from '../../contract/store-samples.ts'
import { seededRandom } from '../../crash/random.ts'
import { databaseForTests } from '../../fakes/database.ts'
import { type Fault, injectFaults } from './faults.ts'
import { openTables } from './opened.ts'

const FAULTS: readonly Fault[] = ['throttled', 'unsent', 'unanswered']
const SHARE = 0.3
const COMMITS = 200
const AT_ONCE = 50

describe('storage of which 30 % of all calls fail', () => {
  const database = databaseForTests()
  let store: Store
  let share = 0
  let due: Fault[] = []
  let calls = 0
  let reads = 0
  let failed = 0

  beforeAll(async () => {
    const { client } = database()
    const random = seededRandom(20_260_101)
    injectFaults(client, (command) => {
      calls += 1
      if (command === 'GetItemCommand') reads += 1
      if (due.length > 0) return due.shift()
      if (random() >= share) return undefined
      failed += 1
      return FAULTS[Math.floor(random() * FAULTS.length)]
    })
    store = (await openTables({ client, collections: samples, clock: createClock() })).store
  })

  /** Half of them add to a row of ten, the others insert; each with a line. True for an answer. */
  const commit = async (n: number): Promise<boolean> => {
    const rows = [{ insert: lines, row: { noteId: `note ${n}`, id: 'line', at: n, text: String(n) } }]
    const head = n % 2 === 0 ? store.commit({ insert: notes, row: note(`note ${n}`) }, rows) : addTo(n, rows)
    return head.then(
      ({ applied }) => applied,
      (thrown) => {
        expect(thrown).toBeInstanceOf(Problem)
        expect(thrown).toMatchObject({ kind: 'unavailable', code: 'storage_unavailable' })
        return false
      },
    )
  }
  const addTo = (n: number, rows: readonly AnyWrite[]) =>
    store.commit({ update: notes, key: `sum ${n % 10}`, add: { rank: 1 }, set: { title: String(n) } }, rows)

  it('loses nothing that was acknowledged, and adds nothing twice', async () => {
    const sums = Array.from({ length: 10 }, (_, n) => `sum ${n}`)
    for (const id of sums) await store.commit({ insert: notes, row: note(id, { rank: 0 }) })
    share = SHARE
    const answered: number[] = []
    for (let n = 0; n < COMMITS; n += AT_ONCE) {
      const some = Array.from({ length: AT_ONCE }, (_, at) => n + at)
      const applied = await Promise.all(some.map(commit))
      answered.push(...some.filter((_, at) => applied[at]))
    }
    share = 0
    expect(failed / calls).toBeGreaterThan(0.2)
    expect(answered.length).toBeGreaterThan(COMMITS * 0.8)
    for (const n of answered) {
      expect(await store.get(lines, [`note ${n}`, 'line'])).toMatchObject({ text: String(n) })
      if (n % 2 === 0) expect(await store.get(notes, `note ${n}`)).toEqual(note(`note ${n}`))
    }
    const ranks = await Promise.all(sums.map(async (id) => (await store.get(notes, id))?.rank ?? 0))
    const added = ranks.reduce((a, b) => a + b, 0)
    const acknowledged = answered.filter((n) => n % 2 === 1).length
    expect(added).toBeGreaterThanOrEqual(acknowledged)
    expect(added).toBeLessThanOrEqual(COMMITS / 2)
  })

  it('tries again when a transaction under way has the row', async () => {
    await store.commit({ insert: notes, row: note('held', { rank: 0 }) })
    due = ['conflict', 'conflict']
    expect((await store.commit({ update: notes, key: 'held', add: { rank: 1 } })).row?.rank).toBe(1)
    due = ['conflict', 'conflict']
    const { applied } = await store.commit({ insert: notes, row: note('holding') }, [
      { update: notes, key: 'held', add: { rank: 1 } },
    ])
    expect({ applied, left: due.length, rank: (await store.get(notes, 'held'))?.rank }).toEqual({
      applied: true,
      left: 0,
      rank: 2,
    })
  })
  it('makes three more calls at most, then says that it is unavailable', async () => {
    share = 1
    reads = 0
    await expect(store.get(notes, 'sum 0')).rejects.toMatchObject({ code: 'storage_unavailable' })
    // Totals of the commits before may still be on their way; what is counted is this read.
    expect(reads).toBe(4)
    share = 0
  })
})
