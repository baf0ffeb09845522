import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { codeIn, grouped, newCode } from '../../lib/devices/requests.ts'

describe('a pairing code', () => {
  it('is nine characters of Crockford base32', () => {
    for (let n = 0; n < 200; n++) expect(newCode(entropy)).toMatch(/^[0-9A-HJKMNP-TV-Z]{9}$/)
  })

  it('takes five bits of each byte, so that each of the 32 characters is as likely as any other', () => {
    const seen = new Map<string, number>()
    for (let byte = 0; byte < 256; byte++) {
      const character = newCode((bytes) => Buffer.alloc(bytes, byte)).charAt(0)
      seen.set(character, (seen.get(character) ?? 0) + 1)
    }
    expect(seen.size).toBe(32)
    expect(new Set(seen.values())).toEqual(new Set([8]))
  })

  it('is shown in three groups', () => {
    expect(grouped('ABC123XYZ', '-')).toBe('ABC-123-XYZ')
    expect(grouped('ABC123XYZ', ' ')).toBe('ABC 123 XYZ')
  })

  it.each([
    ['abc-123-xyz', 'ABC123XYZ'],
    [' ABC 123\tXYZ ', 'ABC123XYZ'],
    ['a-b-c-1-2-3-x-y-z', 'ABC123XYZ'],
    ['OoO-iIl-L00', '000111100'],
    // What phones and word processors make of a hyphen and of a space.
    ['ABC–123—XYZ', 'ABC123XYZ'],
    ['ABC‐123‑XYZ', 'ABC123XYZ'],
    ['ABC−123－XYZ', 'ABC123XYZ'],
    ['ABC\u00ad123\u200bXYZ\ufeff', 'ABC123XYZ'],
    ['ABC\u00a0123\u202fXYZ\u3000', 'ABC123XYZ'],
  ])('may be typed as "%s"', (entered, code) => {
    expect(codeIn(entered)).toBe(code)
  })

  it.each(['', 'ABC-123-XY', 'ABC-123-XYZ0', 'ABC-123-XYU', 'ABC_123_XYZ', 'ÄBC-123-XYZ', '---------'])(
    'is not "%s"',
    (entered) => {
      expect(codeIn(entered)).toBeUndefined()
    },
  )

  it('is found in its own forms, whatever the case', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 9, maxLength: 9 }), fc.boolean(), (bytes, isLower) => {
        const code = newCode(() => Buffer.from(bytes))
        const entered = grouped(code, isLower ? ' ' : '-')
        expect(codeIn(isLower ? entered.toLowerCase() : entered)).toBe(code)
      }),
    )
  })
})
