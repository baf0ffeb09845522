import { describe, expect, it } from '@jest/globals'
import { buffered } from '../../lib/http/buffered-response.ts'

const MOST_BYTES = 6_291_556
const okAnswer = (body: string | Uint8Array | AsyncIterable<string>) => ({
  statusCode: 200,
  headers: { 'x-request-id': 'req_1', 'content-disposition': 'attachment' },
  body,
})
async function* pieces(...all: string[]) {
  yield* all
}
const jsonBytes = (answer: object) => Buffer.byteLength(JSON.stringify(answer))
/** What is left for a body that needs no escaping. */
const ROOM = MOST_BYTES - jsonBytes(okAnswer(''))

describe('the answer of a function', () => {
  it.each([
    ['a text', 'a'.repeat(ROOM)],
    ['pieces', pieces('a'.repeat(ROOM - 1), 'a')],
  ])('is given whole as long as Lambda takes it: %s', async (_name, body) => {
    const answer = await buffered(okAnswer(body))
    expect([answer.statusCode, jsonBytes(answer)]).toEqual([200, MOST_BYTES])
  })

  it.each([
    ['of a byte more', 'a'.repeat(ROOM + 1)],
    ['in pieces, of a byte more', pieces('a'.repeat(ROOM), 'a')],
    ['of quotes, which Lambda escapes', '"'.repeat(ROOM / 2 + 1)],
    ['of three bytes a character', '日'.repeat(ROOM / 3 + 1)],
    ['of bytes, which travel in base64', new Uint8Array((ROOM / 4) * 3)],
  ])('is refused in our form where it is one %s', async (_name, body) => {
    const { statusCode, headers, body: text } = await buffered(okAnswer(body))
    expect(statusCode).toBe(413)
    expect(JSON.parse(text)).toEqual({
      error: expect.any(String),
      code: 'answer_too_large',
      requestId: 'req_1',
    })
    expect(headers).toMatchObject({
      'x-request-id': 'req_1',
      'content-type': 'application/json; charset=utf-8',
    })
    expect(headers).not.toHaveProperty('content-disposition')
  })
})
