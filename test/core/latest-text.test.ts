import { describe, expect, it } from '@jest/globals'
import { createLatestText } from '../../lib/core/latest-text.ts'

describe('the latest text of a model', () => {
  it('is that of the latest step that is not blank, with its blanks', () => {
    const text = createLatestText()
    expect([' ', '\n', 'Hel', 'lo', ' '].map(text.add)).toEqual(['', '', ' \nHel', ' \nHello', ' \nHello '])
    text.beginStep()
    expect(['\n', 'Now', ''].map(text.add)).toEqual([' \nHello ', '\nNow', '\nNow'])
  })
})
