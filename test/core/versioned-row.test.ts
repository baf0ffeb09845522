import { describe, expect, it } from '@jest/globals'
import { collection } from '../../lib/core/collection.ts'
import { busyError } from '../../lib/core/contention.ts'
import { createVersionedRow } from '../../lib/core/versioned-row.ts'

type Row = { id: string; version: number; color?: string }
const rows = collection<Row>({ name: 'rows', key: 'id', indexes: {} })
const FIRST: Row = { id: 'one', version: 0 }

const openRow = (staleAfterMs = 100) => {
  const reads: PromiseWithResolvers<Row | undefined>[] = []
  const writes: unknown[] = []
  const clock = { ms: 0, monotonic: () => clock.ms, after: () => undefined }
  const get = () => {
    const reading = Promise.withResolvers<Row | undefined>()
    reads.push(reading)
    return reading.promise
  }
  const commit = async (write: unknown) => ({ applied: writes.push(write) > 0 })
  const cached = createVersionedRow<Row>(
    { store: { get, commit }, clock, entropy: (bytes) => new Uint8Array(bytes) },
    { of: rows, first: FIRST, staleAfterMs, busy: () => busyError('busy', 'try again') },
  )
  return { cached, reads, writes, clock }
}

describe('the cache of a versioned row', () => {
  it('keeps the later version when an earlier read ends after a later one', async () => {
    const { cached, reads } = openRow()
    const both = [cached.load(), cached.load()]
    reads[1]?.resolve({ ...FIRST, version: 2 })
    await both[1]
    reads[0]?.resolve({ ...FIRST, version: 1 })
    await both[0]
    expect(cached.row().version).toBe(2)
  })

  it('shares one read between concurrent refreshes, and reads again only when the row is too old', async () => {
    const { cached, reads, clock } = openRow()
    const both = [cached.refresh(), cached.refresh()]
    expect(reads).toHaveLength(1)
    reads[0]?.resolve({ ...FIRST, version: 1 })
    await Promise.all(both)
    clock.ms = 99
    expect(cached.refresh()).toBeUndefined()
    clock.ms = 100
    expect(cached.refresh()).toBeDefined()
    expect(reads).toHaveLength(2)
  })
})

describe('the write of a version', () => {
  const writesOver = async (stored: Row | undefined, color: string | undefined) => {
    const { cached, reads, writes } = openRow()
    const changed = cached.change(() => (color === undefined ? undefined : { set: { color } }))
    await new Promise((resolve) => setImmediate(resolve))
    reads[0]?.resolve(stored)
    return { row: await changed, writes }
  }

  it('inserts the first version', async () => {
    const row = { id: 'one', version: 1, color: 'red' }
    expect(await writesOver(undefined, 'red')).toEqual({ row, writes: [{ insert: rows, row }] })
  })

  it('updates every field of a later one, on condition of the version before', async () => {
    const { writes } = await writesOver({ id: 'one', version: 4, color: 'blue' }, 'red')
    const set = { version: 5, color: 'red' }
    expect(writes).toEqual([{ update: rows, key: 'one', when: { version: 4 }, set }])
  })

  it('is none where nothing is to change', async () => {
    const stored = { id: 'one', version: 4 }
    expect(await writesOver(stored, undefined)).toEqual({ row: stored, writes: [] })
  })
})
