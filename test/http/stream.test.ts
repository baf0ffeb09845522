import { once } from 'node:events'
import { get } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { serve } from './serve.ts'
import { pieces, wordHandlers, wordRoutes } from './table.ts'

let service: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  service = await serve(wordRoutes, wordHandlers)
})
afterAll(() => service.close())
beforeEach(() => {
  pieces.pulled = 0
})

describe('a body in pieces', () => {
  it('arrives whole', async () => {
    const answer = await service.send({ path: '/api/words/export' })
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual(['one', 'two'])
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  it('that breaks off ends the connection, so that it is not taken for whole, and is in the log', async () => {
    await expect(service.send({ path: '/api/words/export?cut=1' })).rejects.toMatchObject({
      code: 'ECONNRESET',
    })
    expect(service.log.entries).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'connection failed' }),
    )
  })

  it('whose reader hangs up is no longer produced, and is no event', async () => {
    service.log.entries.length = 0
    const [answer] = await once(get(`${service.url}/api/words/endless`), 'response')
    await once(answer, 'data')
    answer.destroy()
    await pieces.ended
    // A round trip later, whatever there was to log has been logged.
    await service.send({ path: '/api/words/one' })
    expect(service.faults()).toEqual([])
  })

  it('is not produced for HEAD', async () => {
    const answer = await service.send({ method: 'HEAD', path: '/api/words/export' })
    expect(answer.status).toBe(200)
    expect(answer.text).toBe('')
    expect(pieces.pulled).toBe(0)
  })
})
