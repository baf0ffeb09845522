import { describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { pageFacts, pageQuery, queryFlag, queryInt, queryList } from '../../lib/core/page.ts'

const page = z.object(pageQuery)

describe('the page of a list', () => {
  it('has fifty rows unless another limit is asked for', () => {
    expect(page.parse({})).toEqual({ limit: 50 })
    expect(page.parse({ limit: '200', offset: '0', cursor: 'x' })).toEqual({
      limit: 200,
      offset: 0,
      cursor: 'x',
    })
  })

  it.each(['0', '201', '-1', '1.5', '1e2', '0x10', ' 1', '', 'ten', '١', '9'.repeat(16)])(
    'takes no limit of %j',
    (limit) => {
      expect(page.safeParse({ limit }).success).toBe(false)
    },
  )

  it.each(['-1', '1.5', 'x', '', '9'.repeat(16)])('takes no offset of %j', (offset) => {
    expect(page.safeParse({ offset }).success).toBe(false)
  })

  it('says its offset when that was used, which it is not beside a cursor', () => {
    const facts = (query: object) => pageFacts({ rows: [1], next: undefined }, 9, { limit: 1, ...query }, 's')
    expect(facts({})).toEqual({ total: 9, count: 1, limit: 1 })
    expect(facts({ offset: 2 })).toEqual({ total: 9, count: 1, limit: 1, offset: 2 })
    expect(facts({ offset: 2, cursor: 'x' })).toEqual({ total: 9, count: 1, limit: 1 })
  })
})

describe('a query string', () => {
  it('holds whole numbers within bounds', () => {
    expect(queryInt(1, 4).parse('4')).toBe(4)
    expect(queryInt(1, 4).safeParse('5').success).toBe(false)
  })

  it('holds lists whose parts are trimmed and checked one by one, a hundred at most', () => {
    const list = queryList(z.enum(['a', 'b']))
    expect(list.parse('a, b')).toEqual(['a', 'b'])
    for (const bad of ['', 'a,', 'a,c', Array(101).fill('a').join(',')]) {
      expect(list.safeParse(bad).success).toBe(false)
    }
  })

  it('holds flags that are true or false, nothing else', () => {
    expect([queryFlag.parse('true'), queryFlag.parse('false')]).toEqual([true, false])
    expect(['1', 'yes', 'TRUE', ''].map((text) => queryFlag.safeParse(text).success)).toEqual(
      Array(4).fill(false),
    )
  })
})
