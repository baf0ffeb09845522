import { describe, expect, it } from '@jest/globals'
import { createJudge, type Finding } from '../../lib/core/judge.ts'

const finding = (total: number, recent = ['a', 'b']): Finding => ({
  drift: total === 0 ? {} : { all: { total } },
  recent,
})

/** A judge that cannot look at these rows, and what it has done. */
const openJudge = (refused: readonly string[] = []) => {
  const done: unknown[] = []
  const left = { refused }
  const judge = createJudge<Finding>({
    settle: async (ids) => {
      done.push(ids)
      return left.refused
    },
    correct: async ({ drift }, number) => void done.push([number, drift]),
  })
  return { ...judge, left, done: () => done.splice(0) }
}

describe('a judge of differences', () => {
  it('settles what changed last, and corrects when it finds the same again', async () => {
    const { judge, suspects, done } = openJudge()
    expect([await judge('x', finding(1), 7), suspects()]).toEqual([false, true])
    expect(done()).toEqual([['a', 'b']])
    expect(await judge('x', finding(1), 7)).toBe(false)
    expect(done()).toEqual([[7, { all: { total: 1 } }]])
  })

  it.each([
    ['name', 'y', 1],
    ['difference', 'x', 2],
  ])('begins anew with another %s', async (_, name, total) => {
    const { judge, done } = openJudge()
    await judge('x', finding(1))
    await judge(name, finding(total))
    expect(done()).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
  })

  it('corrects nothing before it could look at every row', async () => {
    const { judge, left, done } = openJudge(['b'])
    await judge('x', finding(1))
    await judge('x', finding(1))
    left.refused = []
    await judge('x', finding(1))
    expect(done()).toEqual([['a', 'b'], ['b'], ['b']])
    await judge('x', finding(1))
    expect(done()).toEqual([[0, { all: { total: 1 } }]])
  })

  it('forgets a difference that is gone', async () => {
    const { judge, suspects, done } = openJudge()
    await judge('x', finding(1))
    expect([await judge('x', finding(0)), suspects()]).toEqual([true, false])
    done()
    await judge('x', finding(1))
    expect(done()).toEqual([['a', 'b']])
  })
})
