import { describe, expect, it } from '@jest/globals'
import type { Row } from '../../../lib/adapters/sqlite/entry.ts'
import { createHot } from '../../../lib/adapters/sqlite/hot.ts'
import { planOf } from '../../../lib/adapters/sqlite/plan.ts'
import { createDraft } from '../../../lib/adapters/sqlite/script.ts'
import { updater } from '../../../lib/adapters/sqlite/updater.ts'
import { collection } from '../../../lib/core/collection.ts'
import { declared } from './samples.ts'

const NEW = { head: undefined, aside: false }
const records = { write: () => ({ headSize: 10, aside: false }) }
const row = (n: number): Row => ({
  at: [n],
  head: { n },
  detail: undefined,
  detailSize: 0,
  detailText: undefined,
})

const opened = (tables: number) => {
  const hot = createHot()
  const all = Array.from({ length: tables }, () => hot.rows())
  const write = (table: number, name: string, n = 0) => {
    const rows = all[table] ?? new Map()
    hot.put({ rows, name, records }, rows.get(name), row(n), NEW)
  }
  const commit = () => {
    hot.accept()
    hot.settle(hot.seal())
  }
  return { hot, write, commit, sizes: () => all.map(({ size }) => size), rows: all[0] ?? new Map() }
}

describe('the rows at hand', () => {
  it('are 64 at most, of the newest, and the table that holds most makes room', () => {
    const { write, commit, sizes, rows } = opened(3)
    for (let n = 0; n < 5; n += 1) write(2, `few${n}`)
    for (let n = 0; n < 200; n += 1) write(0, `a${n}`)
    for (let n = 0; n < 100; n += 1) write(1, `b${n}`)
    commit()
    expect(sizes()).toEqual([29, 30, 5])
    expect([...rows.keys()].at(-1)).toBe('a199')
  })

  it('stay while a script that changes them is not durable, and are no reason to keep the others', () => {
    const { hot, write, commit, sizes } = opened(1)
    write(0, 'waits')
    hot.accept()
    const first = hot.seal()
    for (let n = 0; n < 100; n += 1) write(0, `a${n}`)
    write(0, 'waits', 1)
    hot.accept()
    const second = hot.seal()
    hot.settle(first)
    expect(sizes()).toEqual([101])
    hot.settle(second)
    commit()
    expect(sizes()).toEqual([64])
  })

  it('are what they were when a change that wrote one twice throws', () => {
    const { hot, write, commit, rows } = opened(1)
    write(0, 'known')
    commit()
    const before = { ...rows.get('known') }
    write(0, 'known', 1)
    write(0, 'known', 2)
    write(0, 'new')
    hot.reject()
    expect(rows.get('known')).toEqual(before)
    expect(rows.has('new')).toBe(false)
    expect(hot.seal()).toEqual([])
  })
})

describe('an update of a record', () => {
  const fields = Array.from({ length: 30 }, (_, n) => `f${n}`)
  const wide = (many: number) => {
    const indexes = Object.fromEntries(fields.slice(0, many).map((by) => [by, { by }]))
    const [of] = declared(
      collection({ name: 'wide', key: 'id', detail: ['body'], indexes: indexes as never }),
    )
    if (of === undefined) throw new Error('nothing was declared')
    return planOf(of)
  }
  const before = Object.fromEntries(fields.map((field) => [field, 0]))

  it.each([undefined, null, '{}'])(
    'names the columns that changed, the first and the last, with detail %s',
    (small) => {
      const draft = createDraft()
      const update = updater({ plan: wide(30), draft })
      update([7], before, { ...before, f0: 1, f29: 2 }, 'text', small)
      const { define, steps } = draft.take()
      const names = small === undefined ? '"f0" = ?, "f29" = ?' : '_small = ?, "f0" = ?, "f29" = ?'
      expect(define).toEqual([`UPDATE "wide" SET _head = ?, ${names} WHERE _rid = ?`])
      const values = small === undefined ? ['text', 1, 2, 7] : ['text', small, 1, 2, 7]
      expect(steps).toEqual([0, values.length, ...values])
    },
  )

  it('is refused for a table of more columns than it can tell apart', () => {
    fields.push('f30')
    expect(() => updater({ plan: wide(31), draft: createDraft() })).toThrow('more than 30 columns')
  })
})
