import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { canonicalJson } from '../../lib/core/canonical-json.ts'

/** The same value, its members in another order at every level. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  )
}

describe('canonical JSON', () => {
  it('is what RFC 8785 shows in section 3.2.2', () => {
    const value = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],' +
        '"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    )
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
  })

  it('orders members by code units, as RFC 8785 shows in section 3.2.3', () => {
    const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6']
    const ordered = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33']
    const text = canonicalJson(Object.fromEntries(names.map((name) => [name, 0])))
    expect(text).toBe(`{${ordered.map((name) => `${JSON.stringify(name)}:0`).join(',')}}`)
  })

  it.each([
    [-0, '0'],
    [1e21, '1e+21'],
    [1e-7, '1e-7'],
    [Number.MAX_VALUE, '1.7976931348623157e+308'],
    [5e-324, '5e-324'],
    [2 ** 53, '9007199254740992'],
  ])('writes the number %s as %s', (number, text) => {
    expect(canonicalJson(number)).toBe(text)
  })

  it('reads back as the value it was made of', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('is the same text whatever the order of the members, and of what it reads back as', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value)
        expect(canonicalJson(reversed(value))).toBe(text)
        expect(canonicalJson(JSON.parse(text))).toBe(text)
      }),
    )
  })

  it('keeps a member that is called __proto__', () => {
    expect(canonicalJson(JSON.parse('{"__proto__":1,"a":2}'))).toBe('{"__proto__":1,"a":2}')
  })

  it.each([
    ['NaN', Number.NaN],
    ['infinity', JSON.parse('1e400')],
    ['half a surrogate pair', '\ud800'],
    ['half a surrogate pair as a name', { '\udfff': 1 }],
    ['undefined in an object', { a: undefined }],
    ['a hole in a list', new Array(1)],
    ['a function', () => undefined],
    ['a big integer', 1n],
    ['a date', new Date(0)],
    ['a map', new Map()],
  ])('refuses %s', (_name, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError)
    expect(() => canonicalJson([value])).toThrow(TypeError)
  })
})
