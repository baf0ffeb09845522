import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import * as z from 'zod'
import { decode, encode } from '../../../lib/adapters/aws/sqs/message.ts'
import { messageGroupId } from '../../../lib/adapters/aws/sqs/queue.ts'

const RunSchema = z.object({ taskId: z.string(), attempt: z.number() })
const AnySchema = z.object({ text: z.string() })

describe('a message on SQS', () => {
  it('says its version, its priority and its body', () => {
    const text = encode({ body: { taskId: 'task_1', attempt: 1 }, priority: 2 })
    expect(text).toBe('{"v":1,"priority":2,"body":{"taskId":"task_1","attempt":1}}')
    expect(decode(text, RunSchema)).toEqual({ body: { taskId: 'task_1', attempt: 1 }, priority: 2 })
  })

  it('brings any text back as it was, in printable ASCII alone', () => {
    const texts = fc.string({ unit: fc.oneof(fc.constant('\uffff'), fc.constant('\ud800'), fc.string()) })
    fc.assert(
      fc.property(texts, (text) => {
        const encoded = encode({ body: { text }, priority: 1 })
        expect(encoded).toMatch(/^[\x20-\x7e]*$/)
        expect(decode(encoded, AnySchema)).toEqual({ body: { text }, priority: 1 })
      }),
    )
  })

  it.each([
    ['', 'not_json'],
    ['hello', 'not_json'],
    ['{"v":1,', 'not_json'],
    ['null', 'unknown_shape'],
    ['[]', 'unknown_shape'],
    ['"text"', 'unknown_shape'],
    ['{"taskId":"task_1","attempt":1}', 'unknown_shape'],
    ['{"v":0,"priority":3,"body":{"taskId":"task_1","attempt":1}}', 'unknown_shape'],
    ['{"v":2,"priority":3,"body":{"taskId":"task_1","attempt":1}}', 'unknown_shape'],
    ['{"v":1,"priority":5,"body":{"taskId":"task_1","attempt":1}}', 'unknown_shape'],
    ['{"v":1,"priority":3,"body":{"taskId":"task_1"}}', 'unknown_shape'],
    ['{"v":1,"priority":3}', 'unknown_shape'],
  ])('that reads %s is refused as %s', (text, reason) => {
    expect(decode(text, RunSchema)).toEqual({ reason })
  })
})

describe('the group of a message', () => {
  it.each(['owner/repository', 'https://host/a?b=c#d', '~'.repeat(128)])(
    'is itself where SQS takes it: %s',
    (group) => {
      expect(messageGroupId(group)).toBe(group)
    },
  )

  it.each(['', 'two words', 'größe', 'x'.repeat(129), 'line\nbreak'])(
    'is a hash where SQS does not: %j',
    (group) => {
      expect(messageGroupId(group)).toMatch(/^sha256-[\w-]{43}$/)
      expect(messageGroupId(group)).not.toBe(messageGroupId(`${group}!`))
    },
  )
})
