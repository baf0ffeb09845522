import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { Problem } from '../../lib/core/errors.ts'
import { gatewayRoutes } from '../../lib/gateway/contract.ts'
import { gatewayHandlers } from '../../lib/gateway/handlers.ts'
import type { Gateway } from '../../lib/gateway/service.ts'
import {
  admitting,
  defineRoutes,
  type Handler,
  type Handlers,
  type Route,
  type Routes,
} from '../../lib/http/route.ts'
import { serve } from '../http/serve.ts'

const headers = { 'content-type': 'application/json' }

const served = async <R extends Routes>(routes: R, handlers: Handlers<R>) => {
  const server = await serve(routes, handlers)
  return { ...server, [Symbol.asyncDispose]: server.close }
}

describe('a synchronous request', () => {
  it('is aborted when its caller hangs up, and not before', async () => {
    const began = Promise.withResolvers<AbortSignal | undefined>()
    const gateway = {
      count: async () => undefined,
      submit: async () => ({ taskId: 'task_1', status: 'queued', replayed: false }),
      waitFor: async (_taskId: string, _forMs: number, signal?: AbortSignal) => {
        began.resolve(signal)
        if (signal) await once(signal, 'abort')
      },
    } as unknown as Gateway
    const { submitRequest } = gatewayHandlers({ gateway })
    const open: Routes = { submitRequest: { ...gatewayRoutes.submitRequest, access: 'public' } }
    await using service = await served(open, { submitRequest: submitRequest as Handler<Route> })
    const body = '{"task":{"title":"T"},"options":{"synchronous":true}}'
    const sent = request(`${service.url}/api/gateway`, { method: 'POST', headers }).end(body)
    sent.on('error', () => undefined)
    const signal = await began.promise
    expect(signal?.aborted).toBe(false)
    sent.destroy()
    if (signal) await once(signal, 'abort')
    expect(signal?.aborted).toBe(true)
  })
})

describe('a call', () => {
  it('is admitted before its input is read, and refused there whatever it says', async () => {
    const routes = defineRoutes({
      post: {
        method: 'POST',
        path: '/api/posts',
        summary: 'Takes a post',
        access: 'public',
        body: z.object({ fits: z.boolean() }),
        response: z.object({}),
      },
    })
    let handled = 0
    const full = new Problem('rate_limited', 'rate_limited', 'Too many', { retryAfterMs: 1_500 })
    await using service = await served(routes, {
      post: admitting(
        async ({ header }) => {
          if (header('x-full') === 'yes') throw full
        },
        async () => {
          handled += 1
          return {}
        },
      ),
    })
    const post = async (body: string, more = {}) =>
      service.send({ method: 'POST', path: '/api/posts', body, headers: { ...headers, ...more } })
    for (const body of ['{"fits":true}', '{}', 'no JSON'])
      expect(await post(body, { 'x-full': 'yes' })).toMatchObject({
        status: 429,
        headers: { 'retry-after': '2' },
      })
    expect([(await post('{}')).status, (await post('{"fits":true}')).status, handled]).toEqual([400, 200, 1])
  })
})
