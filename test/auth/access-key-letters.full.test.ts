import { describe, expect, it } from '@jest/globals'
import { visit } from '../accounts/visitor.ts'
import { openedService, openService } from '../journeys/opened-service.ts'

const composed = 'Schl\u00fcssel'
const decomposed = 'Schlu\u0308ssel'

describe('the letters of an access key', () => {
  it.each([
    ['set at run time', undefined],
    ['of the environment', decomposed],
  ])('are the same however a keyboard makes them, in one %s', async (_where, given) => {
    await using service = await openService(given === undefined ? {} : { ACCESS_KEY: given })
    const person = () => visit(service.baseUrl, {}, { direct: true })
    if (given === undefined)
      expect((await person().send('PUT /api/auth/access-key', { key: decomposed })).status).toBe(200)
    for (const key of [composed, decomposed])
      expect((await person().send('POST /api/auth/verify-access-key', { key })).status).toBe(200)
    expect((await person().send('POST /api/auth/verify-access-key', { key: 'Schlussel' })).status).toBe(401)
  })
})

describe('an access key that nobody could type', () => {
  const service = openedService()

  it.each([
    ['spaces', ' '.repeat(6)],
    ['other spaces', '\u00a0\u2003\u3000\t\n '],
    ['characters without a shape', '\u200b'.repeat(6)],
    ['characters for control', '\u0000'.repeat(6)],
  ])('is refused: %s alone', async (_what, key) => {
    const ann = visit(service().baseUrl, {}, { direct: true })
    const { status, body } = await ann.send('PUT /api/auth/access-key', { key })
    expect([status, body.details]).toEqual([
      400,
      [{ path: 'key', message: expect.stringMatching(/visible character/) }],
    ])
    expect((await ann.send('GET /api/tasks')).status).toBe(200)
  })
})
