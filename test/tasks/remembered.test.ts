import { describe, expect, it } from '@jest/globals'
import { birthIn, birthText, moveIn, moveText } from '../../lib/tasks/remembered.ts'

const ID = 'evt_01KAJ3V0Q7Z4Y8W2X6T5S9R1P0'

describe('what a row remembers of its writes', () => {
  it('is how it came to be', () => {
    expect(birthText({ id: ID, as: 'queued' })).toBe(`queued ${ID}`)
    for (const birth of [
      { id: ID, as: 'pending' as const },
      { id: ID, as: 'completed' as const, imported: '2026-01-01T00:00:00.000Z' },
    ])
      expect(birthIn(birthText(birth))).toEqual(birth)
  })

  it('is how it moved last, and where to', () => {
    expect(moveText({ id: ID, verb: 'start', from: 'queued' })).toBe(`start queued ${ID}`)
    expect(moveIn(`start queued ${ID}`)).toEqual({ id: ID, verb: 'start', from: 'queued', to: 'in_progress' })
    expect(moveIn(`retry in_progress ${ID}`)).toMatchObject({ to: 'pending' })
    expect(moveIn(`enqueue pending ${ID}`)).toMatchObject({ to: 'queued' })
  })

  it.each([{ message: 'It  broke:\n "why" ' }, { metadata: { code: 'a b' }, attempt: 2 }])(
    'is what its event says: %j',
    (text) => {
      const move = { id: ID, verb: 'exhaust' as const, from: 'in_progress' as const, text }
      expect(moveIn(moveText(move))).toEqual({ ...move, to: 'failed' })
    },
  )

  it('is nothing where nothing follows from it', () => {
    expect([birthIn(undefined), moveIn(undefined)]).toEqual([undefined, undefined])
  })

  it('is no move that the lifecycle does not have', () => {
    expect(() => moveIn(`start completed ${ID}`)).toThrow('no start from completed')
  })
})
