import { describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { lazyHandlers } from '../../lib/app/cloud-function.ts'
import { type Call, defineRoutes } from '../../lib/http/route.ts'
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
  gone: () => undefined,
}

/** Handlers that fail to be made so many times. */
const open = (failures = 0) => {
  let made = 0
  const handlers = lazyHandlers(routes, async () => {
    made += 1
    if (made <= failures) throw new Error('not yet')
    return { first: () => 'one', second: (_input, { requestId }) => `two of ${requestId}` }
  })
  return { handlers, made: () => made }
}

describe('handlers that are made when they are asked', () => {
  it('are made once, for any number of concurrent callers', async () => {
    const { handlers, made } = open()
    expect(made()).toBe(0)
    const answers = [handlers.first(input, call), handlers.second(input, call), handlers.first(input, call)]
    expect(await Promise.all(answers)).toEqual(['one', 'two of r', 'one'])
    expect(made()).toBe(1)
  })

  it('are tried again by the next who asks when they could not be made', async () => {
    const { handlers, made } = open(1)
    await expect(handlers.first(input, call)).rejects.toThrow('not yet')
    expect(await handlers.first(input, call)).toBe('one')
    expect(made()).toBe(2)
  })
})
