import { describe, expect, it } from '@jest/globals'
import { auditRows } from '../../lib/audit/rows.ts'
import { Problem } from '../../lib/core/errors.ts'
import type { Store } from '../../lib/ports/store.ts'
import { createCaller } from '../fakes/caller.ts'
import { ANN, BOB, startDomains } from '../fakes/service.ts'

const DAY_MS = 86_400_000

const started = async (wrapStore?: (store: Store) => Store) => {
  const service = await startDomains(wrapStore ? { wrapStore } : {})
  const call = createCaller(service)
  const list = async (query = '') => (await call(`GET /api/audit${query}`)).body
  return { service, call, list, record: service.audit.record }
}

describe('the audit log', () => {
  it('tells who did what, and when, newest first', async () => {
    const { list, record, service } = await started()
    await record(ANN, 'thing.make', { thing: 'one', size: 3 })
    service.clock.advance(5)
    await record(BOB, 'thing.drop')
    expect(await list()).toEqual({
      records: [
        {
          id: expect.stringMatching(/^aud_/),
          timestamp: '2026-01-01T12:00:00.005Z',
          userId: 'user_bob',
          action: 'thing.drop',
          details: {},
        },
        expect.objectContaining({ userId: 'user_ann', details: { thing: 'one', size: 3 } }),
      ],
      total: 2,
      count: 2,
      limit: 50,
    })
  })

  it.each([
    ['?userId=user_ann', ['a', 'c']],
    ['?action=thing.make', ['a', 'b']],
    ['?userId=user_ann&action=thing.make', ['a']],
    ['?from=2026-01-02', ['b', 'c']],
    ['?to=2026-01-02', ['a', 'b']],
    ['?from=2026-01-02T00:00:00Z&to=2026-01-02T23:59:59Z', ['b']],
    ['?userId=nobody', []],
  ])('shows of three what %s asks for', async (query, named) => {
    const { list, record, service } = await started()
    await record(ANN, 'thing.make', { name: 'a' })
    service.clock.advance(DAY_MS)
    await record(BOB, 'thing.make', { name: 'b' })
    service.clock.advance(DAY_MS)
    await record(ANN, 'thing.drop', { name: 'c' })
    const { records, total } = await list(query)
    expect(records.map(({ details }: { details: { name: string } }) => details.name).sort()).toEqual(named)
    expect(total).toBe(named.length)
  })

  it('comes in pages, whose cursor belongs to the same question', async () => {
    const { call, list, record, service } = await started()
    for (let n = 0; n < 5; n++) {
      service.clock.advance(1)
      await record(n % 2 ? ANN : BOB, 'thing.make', { n })
    }
    const first = await list('?limit=2')
    const second = await list(`?limit=2&cursor=${first.nextCursor}`)
    const third = await list(`?limit=2&cursor=${second.nextCursor}`)
    const numbers = [first, second, third].flatMap(({ records }) =>
      records.map((record: { details: { n: number } }) => record.details.n),
    )
    expect(numbers).toEqual([4, 3, 2, 1, 0])
    expect(third.nextCursor).toBeUndefined()
    expect((await list('?limit=2&offset=3')).records).toHaveLength(2)
    for (const query of [`?userId=user_ann&cursor=${first.nextCursor}`, '?cursor=nonsense', '?limit=0'])
      expect((await call(`GET /api/audit${query}`)).status).toBe(400)
  })

  it('tells how many there are on all pages, from the first on', async () => {
    const { list, record } = await started()
    for (let n = 0; n < 5; n++) await record(ANN, 'thing.make', { n })
    for (const query of [
      '',
      '?limit=2',
      '?limit=2&offset=2',
      '?limit=2&offset=9',
      '?limit=2&action=thing.make',
    ])
      expect((await list(query)).total).toBe(5)
  })

  it('masks what looks like a secret', async () => {
    const { list, record } = await started()
    await record(ANN, 'thing.make', { password: 'canary', note: 'Bearer canary-canary-canary' })
    expect(JSON.stringify(await list())).not.toContain('canary')
  })

  it('keeps a record for 400 days', async () => {
    const { list, record, service } = await started()
    await record(ANN, 'thing.make')
    service.clock.advance(400 * DAY_MS - 1)
    expect((await list()).total).toBe(1)
    service.clock.advance(1)
    expect((await list()).total).toBe(0)
  })

  it('gets what was done into storage that refuses three times', async () => {
    let refusals = 3
    const { list, record, service } = await started((store) => {
      const commit: Store['commit'] = async (head, ...more) => {
        if ('insert' in head && (head.insert as unknown) === auditRows && refusals-- > 0)
          throw new Problem('unavailable', 'storage_unavailable', 'not now')
        return store.commit(head, ...more)
      }
      return Object.assign(Object.create(store), { commit })
    })
    const recorded = record(ANN, 'thing.make')
    await service.pass(2_000)
    await recorded
    expect((await list()).total).toBe(1)
  })
})
