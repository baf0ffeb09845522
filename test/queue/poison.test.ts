import { describe, expect, it } from '@jest/globals'
import { poisonLetter } from '../../lib/queue/dead-letters.ts'

const poisonedLetter = (text: string) => poisonLetter({ id: 'm-1', reason: 'unknown_shape', text })

describe('the dead letter of a message that could not be read', () => {
  it.each([
    ['of another version', { v: 0, body: { taskId: 'task_1' } }],
    ['without an attempt', { v: 1, priority: 3, body: { taskId: 'task_1', try: 2 } }],
    ['of a priority that there is none of', { v: 1, priority: 9, body: { taskId: 'task_1', attempt: 1 } }],
  ])('names the task of a message %s', (_, message) => {
    const text = JSON.stringify(message)
    expect(poisonedLetter(text)).toEqual({
      messageId: 'm-1',
      taskId: 'task_1',
      reason: `unknown_shape: ${text}`,
    })
  })

  it.each([
    'run the task, please',
    '{"body":{"taskId":"task_1"',
    'null',
    '[]',
    '{}',
    '{"taskId":"task_1"}',
    '{"body":"task_1"}',
    '{"body":{"taskId":1}}',
    '{"body":{"taskId":""}}',
    '{"body":{"taskId":"../../etc"}}',
    '{"body":{"taskId":"task_\\ud800"}}',
    `{"body":{"taskId":"${'x'.repeat(101)}"}}`,
  ])('names none where none can be made out: %s', (text) => {
    expect(poisonedLetter(text)).toMatchObject({ messageId: 'm-1', taskId: 'unknown' })
  })
})
