import { describe, expect, it } from '@jest/globals'
import { ApiError } from '../../lib/api/api-error.ts'
import { createPersist } from '../../lib/app/runner/connection.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'

const answer = (status: number, code?: string) =>
  new ApiError(new Response(null, { status }), code === undefined ? '<h1>No backend</h1>' : { code })

/** Makes a request whose first try fails. Resolves to what it gives in the end, and how often it was made. */
const persisted = async (failure: Error, options = {}) => {
  // It waits no time.
  const after = (_ms: number, call: () => void) => {
    setImmediate(call)
    return () => undefined
  }
  const persist = createPersist({
    clock: { ...createFakeClock(), after },
    log: createFakeLog(),
    random: () => 0,
    ended: new AbortController().signal,
  })
  let tries = 0
  const request = async () => {
    tries += 1
    if (tries === 1) throw failure
    return 'answered'
  }
  const outcome = await persist('a request', request, options).catch((thrown: unknown) => thrown)
  return { outcome, tries }
}

describe('a request of a runner', () => {
  it.each([
    ['a network error', new TypeError('fetch failed')],
    ['500', answer(500, 'internal_error')],
    ['429', answer(429, 'rate_limited')],
    ['502 of a proxy', answer(502)],
    ['404 of a load balancer without a service', answer(404)],
  ])('is made again after %s', async (_what, failure) => {
    expect(await persisted(failure)).toEqual({ outcome: 'answered', tries: 2 })
  })

  it.each([
    ['404 of the service', answer(404, 'runner_not_found'), {}],
    ['a lost lease', answer(400, 'lease_lost'), {}],
    ['413 of a proxy', answer(413), {}],
    ['404 of no service at the start, where the address is wrong', answer(404), { isFirst: true }],
  ])('is not made again after %s', async (_what, failure, options) => {
    expect(await persisted(failure, options)).toEqual({ outcome: failure, tries: 1 })
  })
})
