import { describe, expect, it } from '@jest/globals'
import { foundPart } from '../../lib/core/found-part.ts'

const long = (text: string) => `${'before '.repeat(20)}${text}${' after'.repeat(40)}`

describe('the found part of texts', () => {
  it.each([
    ['the first text with a word', [['title', 'A cart']], ['CART'], 'title', 'A cart'],
    [
      'the text with more of the words',
      [
        ['title', 'A cart'],
        ['output', 'cart and total'],
      ],
      ['total', 'cart'],
      'output',
      'cart and total',
    ],
    [
      'the part around the first word, in one line',
      [['output', long('a\n  needle\tin hay')]],
      ['needle'],
      'output',
      /^…before (before )+a needle in hay after.*…$/,
    ],
    [
      'a word after characters that fold to two',
      [['prompt', `${'ß'.repeat(50)} x Straße`]],
      ['strasse'],
      'prompt',
      /^…ß+ x Straße$/,
    ],
    [
      'the part from the beginning of a word',
      [['output', `unbroken ${'x'.repeat(30)} hay needle`]],
      ['needle'],
      'output',
      `…${'x'.repeat(30)} hay needle`,
    ],
    ['a cut between characters', [['prompt', `🚀${'🚀'.repeat(30)}end`]], ['end'], 'prompt', /^…(🚀)+end$/u],
  ] as const)('is %s', (_, texts, words, where, text) => {
    const found = foundPart(texts, words)
    expect(found).toEqual({
      in: where,
      text: typeof text === 'string' ? text : expect.stringMatching(text),
    })
    expect(found?.text.length).toBeLessThanOrEqual(170)
    expect(found?.text.isWellFormed()).toBe(true)
  })
  it('is none where no text has a word', () => {
    expect(foundPart([['title', 'A cart']], ['needle'])).toBeUndefined()
  })
})
