import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { unreadBody } from '../../lib/http/incoming.ts'

/** A request as the parser leaves it: the bytes that came, and whether they are all. */
const request = (pieces: readonly string[], complete: boolean): IncomingMessage => {
  const made = new IncomingMessage(new Socket())
  made.headers = { 'transfer-encoding': 'chunked' }
  for (const piece of pieces) made.push(Buffer.from(piece))
  if (complete) {
    made.complete = true
    made.push(null)
  }
  return made
}

const readBody = async (request: IncomingMessage, limit: number) => unreadBody(request)?.bytes(limit)

describe('reading a body', () => {
  it('takes one that came with its head, whole', async () => {
    expect(String(await readBody(request(['{"a":', '1}'], true), 10))).toBe('{"a":1}')
    expect(await readBody(request([], true), 10)).toHaveLength(0)
  })
  it('waits for the rest of one that comes in pieces', async () => {
    const slow = request(['{"a":'], false)
    const body = readBody(slow, 10)
    slow.push('1}')
    slow.push(null)
    expect(String(await body)).toBe('{"a":1}')
  })
  it.each([true, false])('refuses one over the limit, complete or not: %s', async (complete) => {
    await expect(readBody(request(['12345', '6'], complete), 5)).rejects.toThrow('larger than 5 bytes')
  })
  it('does not wait for a caller who has left', async () => {
    const left = request(['{"a":'], false)
    left.destroy(new Error('aborted'))
    await turn()
    await expect(readBody(left, 10)).rejects.toThrow('aborted')
  })
})
