import { describe, expect, it } from '@jest/globals'
import { lostText, truncatedIn } from '../../lib/core/truncated.ts'

describe('fields whose stored text is gone', () => {
  it.each([
    [['prompt'], 'its stored prompt is missing'],
    [['systemPrompt'], 'its stored system prompt is missing'],
    [['toolCalls'], 'its stored tool calls are missing'],
    [['body', 'secret'], 'its stored body, secret are missing'],
  ])('%j are named in plain words', (fields, text) => {
    expect(lostText(fields)).toBe(text)
  })

  it('have the names of the view', () => {
    expect(truncatedIn({ truncated: ['heavyTask', 'title'] }, { heavyTask: 'task' })).toEqual({
      truncated: ['task', 'title'],
    })
  })
})
