import { describe, expect, it } from '@jest/globals'
import * as fc from 'fast-check'
import { jsonText, wellFormedJson } from '../../lib/core/json.ts'

describe('JSON', () => {
  it.each([
    ['the first half of a character', '"a\\ud83d"', '"a\\ufffd"'],
    ['the second half', '"\\ude00a"', '"\\ufffda"'],
    ['the halves in the wrong order', '"\\ude00\\ud83d"', '"\\ufffd\\ufffd"'],
    ['two first halves and a second one', '"\\ud83d\\ud83d\\ude00"', '"\\ufffd\\ud83d\\ude00"'],
    ['halves in upper case', '"\\uD83D"', '"\\ufffd"'],
    ['a half in a key', '{"\\ud83d":1}', '{"\\ufffd":1}'],
    ['an escaped pair', '"\\ud83d\\ude00"', '"\\ud83d\\ude00"'],
    ['a backslash before what only looks like an escape', '"\\\\ud83d"', '"\\\\ud83d"'],
    ['a backslash before an escape', '"\\\\\\ud83d"', '"\\\\\\ufffd"'],
    ['other escapes', '"\\n\\u0000\\"\\ud7ff\\ue000"', '"\\n\\u0000\\"\\ud7ff\\ue000"'],
  ])('has no half of a character: %s', (_what, given, made) => {
    expect(wellFormedJson(given)).toBe(made)
  })

  it('is the JSON of the well-formed text, whatever the text is', () => {
    const unit = fc.constantFrom('a', '\\', '"', 'u', 'ud83d', '\ud83d', '\ude00', '\u{1f600}', '\n')
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        expect(JSON.parse(jsonText([text]))).toEqual([text.toWellFormed()])
      }),
    )
  })
})
