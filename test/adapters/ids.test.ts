import { describe, expect, it } from '@jest/globals'
import { createIds } from '../../lib/adapters/node/ids.ts'
import { createFakeClock } from '../fakes/clock.ts'

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
const inOrder = (ids: readonly string[]) => ids.every((id, n) => n === 0 || (ids[n - 1] ?? '') < id)
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const numberIn = (digits: string) => [...digits].reduce((sum, digit) => sum * 32 + DIGITS.indexOf(digit), 0)
const ulidTime = (id: string) => numberIn(id.slice(-26, -16))

describe('ids', () => {
  it('are the kind and a ULID that carries the time', () => {
    const clock = createFakeClock()
    const id = createIds({ clock }).next('task')
    expect(id.slice(0, 5)).toBe('task_')
    expect(id.slice(5)).toMatch(ULID)
    expect(ulidTime(id)).toBe(clock.now())
  })

  it('encode a known time and known random numbers as the ULID specification does', () => {
    const clock = createFakeClock(1_469_918_176_385)
    const ones = createIds({ clock, fill: (numbers) => void numbers.fill(0xffff_ffff) })
    const none = createIds({ clock, fill: (numbers) => void numbers.fill(0) })
    expect(ones.next('a')).toBe('a_01ARYZ6S41FZZZZZZZZZZZZZZZ')
    expect(none.next('a')).toBe('a_01ARYZ6S410000000000000000')
    expect(none.next('a')).toBe('a_01ARYZ6S410000000000000001')
  })

  it('keep their order within one millisecond, through every carry', () => {
    const clock = createFakeClock()
    const ids = createIds({ clock })
    const made = Array.from({ length: 100_000 }, () => ids.next('task'))
    expect(inOrder(made)).toBe(true)
    expect(new Set(made.map(ulidTime))).toEqual(new Set([clock.now()]))
  })

  it('keep their order while the clock goes on and steps back', () => {
    const clock = createFakeClock()
    const ids = createIds({ clock })
    const made = [0, 1, -5, 3, -7_200_000, 10, 7_300_000].flatMap((step) => {
      clock.setWall(clock.now() + step)
      return Array.from({ length: 1_000 }, () => ids.next('task'))
    })
    expect(inOrder(made)).toBe(true)
  })

  it('are not found by counting on from a neighbour', () => {
    const ids = createIds({ clock: createFakeClock() })
    const made = Array.from({ length: 1_000 }, () => numberIn(ids.next('a').slice(-10)))
    const steps = new Set(made.slice(1).map((number, n) => number - (made[n] ?? 0)))
    expect(steps.size).toBeGreaterThan(900)
  })

  it('of two processes that start in one millisecond differ', () => {
    const clock = createFakeClock()
    expect(createIds({ clock }).next('a')).not.toBe(createIds({ clock }).next('a'))
  })
})
