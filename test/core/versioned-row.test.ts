import { describe, expect, it } from '@jest/globals'
import { collection } from '../../lib/core/collection.ts'
import { createRowCache, versionedWrite } from '../../lib/core/versioned-row.ts'

type Row = { id: string; version: number; color?: string }
const rows = collection<Row>({ name: 'rows', key: 'id', indexes: {} })
const FIRST: Row = { id: 'one', version: 0 }

const openCache = (staleAfterMs = 100) => {
  const reads: PromiseWithResolvers<Row | undefined>[] = []
  const clock = { ms: 0, monotonic: () => clock.ms }
  const read = () => {
    const reading = Promise.withResolvers<Row | undefined>()
    reads.push(reading)
    return reading.promise
  }
  return { cache: createRowCache<Row>({ read, first: FIRST, staleAfterMs, clock }), reads, clock }
}

describe('the cache of a versioned row', () => {
  it('keeps the later version when an earlier read ends after a later one', async () => {
    const { cache, reads } = openCache()
    const both = [cache.load(), cache.load()]
    reads[1]?.resolve({ ...FIRST, version: 2 })
    await both[1]
    reads[0]?.resolve({ ...FIRST, version: 1 })
    await both[0]
    expect(cache.row().version).toBe(2)
  })

  it('shares one read between concurrent refreshes, and reads again only when the row is too old', async () => {
    const { cache, reads, clock } = openCache()
    const both = [cache.refresh(), cache.refresh()]
    expect(reads).toHaveLength(1)
    reads[0]?.resolve({ ...FIRST, version: 1 })
    await Promise.all(both)
    clock.ms = 99
    expect(cache.refresh()).toBeUndefined()
    clock.ms = 100
    expect(cache.refresh()).toBeDefined()
    expect(reads).toHaveLength(2)
  })
})

describe('the write of a version', () => {
  it('inserts the first version', () => {
    const row = { id: 'one', version: 1 }
    expect(versionedWrite(rows, FIRST, row)).toEqual({ insert: rows, row })
  })

  it('updates every field of a later one, on condition of the version before', () => {
    const before = { id: 'one', version: 4 }
    expect(versionedWrite(rows, before, { ...before, version: 5, color: 'red' })).toEqual({
      update: rows,
      key: 'one',
      when: { version: 4 },
      set: { version: 5, color: 'red' },
    })
  })
})
