import { describe, expect, it } from '@jest/globals'
import { takeReply } from './reply.ts'

const counted = 'HTTP/1.1 201 Created\r\nContent-Length: 7\r\n\r\n{"a":1}'
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n'

describe('an HTTP answer of the driver', () => {
  it.each([
    ['with a length', counted, 201],
    ['in chunks', chunked, 200],
  ])('%s is taken whole, and nothing of the next', (_, stream, status) => {
    const taken = takeReply(`${stream}HTTP/1.1 500`)
    expect(taken).toEqual({ reply: { status, text: '{"a":1}' }, length: stream.length })
  })

  it.each([
    ['with a length', counted],
    ['in chunks', chunked],
  ])('%s is not taken before its last byte', (_, stream) => {
    for (let length = 0; length < stream.length; length++) {
      expect(takeReply(stream.slice(0, length))).toBeUndefined()
    }
  })
})
