import { describe, expect, it } from '@jest/globals'
import * as fc from 'fast-check'
import { cutText, cutTextToBytes, decodedText, shortenedText, textTail } from '../../lib/core/cut-text.ts'

const FIRE = '\u{1f525}'
const HALF = '\ud83d'

describe('a text that is cut', () => {
  it.each([
    ['a short text', 'abc', 3, 'abc'],
    ['a long text', 'abcd', 3, 'abc'],
    ['a character that does not fit', `ab${FIRE}`, 3, 'ab'],
    ['a character that fits just', `ab${FIRE}c`, 4, `ab${FIRE}`],
    ['nothing but a character that does not fit', FIRE, 1, ''],
    ['half of a character that came so', `${HALF}abc`, 2, '\ufffda'],
    ['half of a character in a text that fits', `a${HALF}`, 5, 'a\ufffd'],
    ['a half before the cut whose other half never came', `ab${HALF}x`, 3, 'ab\ufffd'],
    ['no room', 'abc', 0, ''],
  ])('ends with a whole character: %s', (_what, text, most, kept) => {
    expect(cutText(text, most)).toBe(kept)
  })

  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'bcd'],
    [`a${FIRE}b`, 2, 'b'],
    [`a${FIRE}b`, 3, `${FIRE}b`],
    ['abc', 0, ''],
  ])('begins with a whole character: the end of %j with %d', (text, most, kept) => {
    expect(textTail(text, most)).toBe(kept)
  })

  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    [`a${FIRE}bc`, 3, 'a…'],
    [`a${HALF}`, 3, 'a\ufffd'],
  ])('says with an ellipsis that it was cut: %j to %d', (text, most, kept) => {
    expect(shortenedText(text, most)).toBe(kept)
  })

  it.each([
    ['abcd', 3, 'abc'],
    ['äö', 3, 'ä'],
    [`a${FIRE}`, 4, 'a'],
    [`a${FIRE}`, 5, `a${FIRE}`],
    [`${HALF}ab`, 4, '\ufffda'],
  ])('has whole characters of its bytes: %j to %d', (text, most, kept) => {
    expect(cutTextToBytes(text, most)).toBe(kept)
  })

  it('is well-formed, within its limit, and a beginning of the text, whatever the text is', () => {
    const anyText = fc.string({ unit: fc.constantFrom('a', 'ä', '漢', FIRE, HALF, '\ude00', '\n') })
    fc.assert(
      fc.property(anyText, fc.nat(20), (text, most) => {
        const kept = cutText(text, most)
        expect(kept.isWellFormed()).toBe(true)
        expect(kept.length).toBeLessThanOrEqual(most)
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(text.length, most) - 1)
        expect(text.toWellFormed().startsWith(kept)).toBe(true)
        const bytes = cutTextToBytes(text, most)
        expect(Buffer.byteLength(bytes)).toBeLessThanOrEqual(most)
        expect(text.toWellFormed().startsWith(bytes)).toBe(true)
      }),
    )
  })
})

describe('bytes that are read as text', () => {
  it.each([
    ['cut in a character', [0x61, 0xf0, 0x9f, 0x94], true, 'a'],
    ['whole, and not UTF-8', [0x61, 0xf0, 0x9f, 0x94], false, 'a\ufffd'],
    ['with a byte order mark', [0xef, 0xbb, 0xbf, 0x61], false, '\ufeffa'],
  ])('are a text of whole characters: %s', (_what, bytes, isCut, text) => {
    expect(decodedText(Uint8Array.from(bytes), isCut)).toBe(text)
  })
})
