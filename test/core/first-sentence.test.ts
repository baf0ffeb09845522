import { describe, expect, it } from '@jest/globals'
import { firstSentence } from '../../lib/core/first-sentence.ts'

describe('the first sentence of an output', () => {
  it.each([
    [
      'total() answers 0 for an empty cart. The test is in cart.test.ts.',
      'total() answers 0 for an empty cart.',
    ],
    ['No end', 'No end'],
    ['Reads v1.2 of e.g. the file and stops! Then more.', 'Reads v1.2 of e.g. the file and stops!'],
    ['Done. I changed **two** files in `src/*.ts`. More.', 'Done. I changed two files in src/*.ts.'],
    ['# Summary\n\nThe cart\nis *guarded* now.\n\n- one', 'The cart is guarded now.'],
    ['# Only a heading #', 'Only a heading'],
    [
      '```js\ncode()\n```\n\n---\n| a |\n1. [x] The first [step](https://a.b) is done',
      'The first step is done',
    ],
    ['- one thing\n- another thing', 'one thing'],
    [
      '空のカートの合計をゼロにしました、テストも。次は別の話です。',
      '空のカートの合計をゼロにしました、テストも。',
    ],
    ['Kept: __init__ and snake_case_names', 'Kept: __init__ and snake_case_names'],
    ['a\u202eb\u0007c', 'a b c'],
    ['```\nonly code\n```', undefined],
    [' \n\n', undefined],
    ['', undefined],
  ])('of %j is %j', (output, sentence) => {
    expect(firstSentence(output, 200)).toBe(sentence)
  })

  it('is cut to its limit between characters, however long the output is', () => {
    const sentence = firstSentence('🙂'.repeat(500_000), 200)
    expect(sentence).toBe(`${'🙂'.repeat(99)}…`)
    for (const text of ['[', '**', '*a ', '`', '. A', '# ', '| a\n'])
      expect((firstSentence(text.repeat(200_000), 200) ?? '').length).toBeLessThanOrEqual(200)
  })
})
