import { describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { forwardedVerbs } from '../../lib/app/forwarded-verbs.ts'
import { type Call, defineRoutes, type Handlers } from '../../lib/http/route.ts'
import { inPieces } from '../fakes/pieces.ts'

const route = { method: 'GET', summary: 'Read', access: 'public', response: z.string() } as const
const routes = defineRoutes({ first: { ...route, path: '/first' }, second: { ...route, path: '/second' } })

const input = { params: undefined, query: undefined, headers: undefined, body: undefined }
const call: Call = {
  principal: { userId: 'u', role: 'user' },
  requestId: 'r',
  header: () => undefined,
  cookies: () => [],
  origin: () => ({ address: '', baseUrl: '', isSecure: true }),
  pieces: () => inPieces(),
  gone: () => new AbortController().signal,
}

describe('handlers that are asked for by each call', () => {
  it('are those that answer at that moment', async () => {
    let word = 'one'
    const handlers = forwardedVerbs<Handlers<typeof routes>>(routes, async () => {
      if (word === '') throw new Error('not yet')
      const said = word
      return { first: () => said, second: (_input, { requestId }) => `${said} of ${requestId}` }
    })
    expect([await handlers.first(input, call), await handlers.second(input, call)]).toEqual([
      'one',
      'one of r',
    ])
    word = 'two'
    expect(await handlers.second(input, call)).toBe('two of r')
    word = ''
    await expect(handlers.first(input, call)).rejects.toThrow('not yet')
  })

  it('reject a call of one that is not there', async () => {
    const { first } = forwardedVerbs<Handlers<typeof routes>>(routes, async () => ({}) as never)
    await expect(first(input, call)).rejects.toThrow(TypeError)
  })
})
