import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { compareBytes, placeText, shardNumber, sortable } from '../../../lib/adapters/aws/dynamodb/order.ts'

const sign = (n: number) => Math.sign(n)
const text = fc.string({ unit: 'binary' })
const place = (value: unknown, key = 'k') => placeText(sortable(value, 'field') ?? '', [key])

describe('the order of an index', () => {
  it('is that of the bytes', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
    )
  })
  it('has characters beyond the basic plane after all others', () => {
    expect(sign(compareBytes('😀', '\uffee'))).toBe(1)
  })
  it('is that of the numbers', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (a, b) => {
        expect(sign(compareBytes(place(a), place(b)))).toBe(sign(a < b ? -1 : Number(a > b)))
      }),
    )
  })
  it('is that of the texts and then of the keys, whatever is in them', () => {
    const few = fc.string({ unit: fc.constantFrom('\0', '\u0001', '\u0002', 'a', '#', 'é') })
    fc.assert(
      fc.property(few, few, few, few, (a, b, key, other) => {
        const expected = compareBytes(a, b) || compareBytes(key, other)
        expect(sign(compareBytes(place(a, key), place(b, other)))).toBe(sign(expected))
      }),
    )
  })
  it('has numbers before texts', () => {
    expect(sign(compareBytes(place(Number.MAX_VALUE), place('')))).toBe(-1)
  })
  it.each([[['list']], [{ an: 'object' }], ['half \ud83d']])('has no place for %j', (value) => {
    expect(() => sortable(value, 'field')).toThrow(TypeError)
  })
})

describe('a place', () => {
  it('fits a sort key however long its parts are, and stays one of its own', () => {
    const long = 'é'.repeat(2_000)
    const places = [place(long, 'a'), place(long, 'b'), place('a', long), place('a', `${long}x`)]
    for (const one of places) expect(Buffer.byteLength(one)).toBeLessThanOrEqual(1_024)
    expect(new Set(places).size).toBe(places.length)
  })
})

describe('a shard', () => {
  it('gets about as many keys as any other, also of keys that differ in their ends only', () => {
    const found = [0, 0, 0, 0]
    for (let n = 0; n < 4_000; n += 1) {
      const shard = shardNumber(`task_01JGFJJZ00${String(n).padStart(12, '0')}`, 4)
      found[shard] = (found[shard] ?? 0) + 1
    }
    for (const keys of found) expect(Math.abs(keys - 1_000)).toBeLessThan(150)
  })
})
