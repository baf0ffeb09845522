import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { decodeCursor, encodeCursor } from '../../lib/core/cursor.ts'

const refusal = expect.objectContaining({
  kind: 'invalid',
  code: 'validation_failed',
  details: [{ path: 'cursor', message: expect.any(String) }],
})
const refuses = (text: string, scope: string) => {
  let thrown: unknown
  try {
    decodeCursor(text, scope)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toEqual(refusal)
}

const text = fc.string({ unit: 'binary', maxLength: 500 })
const place = fc.record({
  by: fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
  key: fc.string({ maxLength: 60 }),
})
const created = { by: '2026-01-01T12:00:00.000Z', key: 'task_01KDXF8000Q4WJ2M5S9T3V7XYZ' }

describe('a cursor', () => {
  it('comes back as the place it was made of, under its scope', () => {
    fc.assert(
      fc.property(place, text, (at, scope) => {
        // JSON has no negative zero, and no order tells the two zeros apart.
        const by = at.by === 0 ? 0 : at.by
        expect(decodeCursor(encodeCursor({ ...at, by }, scope), scope)).toEqual({ ...at, by })
      }),
    )
  })

  it('is one base64url text that carries the creation time and the id', () => {
    const cursor = encodeCursor(created, 'tasks')
    expect(cursor).toMatch(/^[\w-]+$/)
    expect(Buffer.from(cursor, 'base64url').toString()).toContain(JSON.stringify([created.by, created.key]))
  })

  it('is refused under another scope', () => {
    fc.assert(
      fc.property(place, text, text, (at, scope, other) => {
        fc.pre(scope !== other)
        refuses(encodeCursor(at, scope), other)
      }),
    )
  })

  it('is refused when any one of its characters is changed, lost or doubled', () => {
    const cursor = encodeCursor(created, 'tasks')
    for (let at = 0; at < cursor.length; at += 1) {
      const [before, here, after] = [cursor.slice(0, at), cursor.charAt(at), cursor.slice(at + 1)]
      for (const other of ['A', 'z', '_', '=', ' ', 'é'].filter((character) => character !== here))
        refuses(before + other + after, 'tasks')
      refuses(before + after, 'tasks')
      refuses(before + here + here + after, 'tasks')
    }
  })

  it('is refused when it is no cursor at all', () => {
    fc.assert(fc.property(text, (anything) => refuses(anything, 'tasks')))
  })

  it('is refused when it is oversized, though its sum be right', () => {
    refuses(encodeCursor({ by: 'x'.repeat(10_000), key: 'k' }, 'tasks'), 'tasks')
  })

  it('has room for a sort value of 500 characters that all need escaping', () => {
    const at = { by: '\u0001'.repeat(500), key: created.key }
    expect(decodeCursor(encodeCursor(at, 'tasks'), 'tasks')).toEqual(at)
  })

  it.each([
    ['an object', { by: {}, key: 'k' }],
    ['a list', { by: [], key: 'k' }],
    ['no key', { by: 1, key: 7 }],
  ])('is refused when it was forged with %s in it', (_what, forged) =>
    refuses(encodeCursor(forged as never, 'tasks'), 'tasks'),
  )
})
