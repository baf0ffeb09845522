import { expect, it } from '@jest/globals'
import { searchWords } from '../../lib/core/search-words.ts'

it.each([
  ['cart', ['cart']],
  ['  cart \t total() ', ['cart', 'total()']],
  ['cart total cart', ['cart', 'total']],
  ['task 1', ['task 1']],
  ['a task of mine now', ['a task of mine', 'now']],
  ['漢字 テスト', ['漢字 テスト']],
  ['🚀🚀🚀 ready', ['🚀🚀🚀', 'ready']],
  ['"quoted words"', ['"quoted', 'words"']],
  ['  ', ['  ']],
  ['\u0000', ['\u0000']],
])('the words of %j are %j', (text, words) => {
  expect(searchWords(text)).toEqual(words)
})
