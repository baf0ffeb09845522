import { afterEach, describe, expect, it, jest } from '@jest/globals'
import fc from 'fast-check'
import { MOST_VALUES, parseJson, readJson } from '../../lib/core/json.ts'

const list = (item: string, count: number) => `[${Array(count).fill(item).join(',')}]`

/** Texts of a certain number of keys and values. */
const COUNTED: readonly (readonly [what: string, text: (count: number) => string])[] = [
  ['empty objects', (count) => list('{}', count - 1)],
  ['empty lists, with white space', (count) => list(' [ ]\n', count - 1)],
  ['numbers', (count) => list('-1.5e3', count - 1)],
  ['words', (count) => list('null', count - 1)],
  ['texts', (count) => list('"a"', count - 1)],
  ['texts with what looks like more', (count) => list('"[{,:\\"\\\\\\","', count - 1)],
  ['empty texts and escaped ends', (count) => list('"\\\\"', count - 1)],
  ['keys and what they lead to', (count) => `{"a":${list('{"b":0}', Math.floor((count - 3) / 3))}}`],
]

describe('a text of JSON', () => {
  afterEach(() => {
    jest.restoreAllMocks()
  })

  it.each(COUNTED)('may have so many keys and values, and is not parsed with more: %s', (_what, text) => {
    const parse = jest.spyOn(JSON, 'parse')
    expect(() => parseJson(text(MOST_VALUES))).not.toThrow()
    expect(parse).toHaveBeenCalledTimes(1)
    expect(() => parseJson(text(MOST_VALUES + 6))).toThrow(
      expect.objectContaining({ kind: 'too_large', code: 'too_many_values' }),
    )
    expect(parse).toHaveBeenCalledTimes(1)
  })

  it('is refused for its depth before it is parsed', () => {
    const parse = jest.spyOn(JSON, 'parse')
    expect(() => parseJson(`${'['.repeat(65)}${']'.repeat(65)}`)).toThrow(
      expect.objectContaining({ code: 'json_too_deep' }),
    )
    expect(parse).not.toHaveBeenCalled()
  })

  it.each(['', '{', '[1,]', '"', '"\\', '{"a" 1}', ']', 'tru', '\\"'])(
    'that is none is refused: %j',
    (text) => {
      expect(() => parseJson(text)).toThrow(expect.objectContaining({ code: 'invalid_json' }))
    },
  )

  it('is read as it is', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('has no key that changes prototypes, wherever it stands', () => {
    expect(() => readJson('{"a":[{"\\u005f_proto__":1}]}')).toThrow('a.0.__proto__: is not an allowed key')
  })
})
