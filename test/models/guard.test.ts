import { describe, expect, it } from '@jest/globals'
import { isProviderFault } from '../../lib/adapters/models/failures.ts'
import { createModels } from '../../lib/adapters/models/models.ts'
import { createBreakers } from '../../lib/adapters/node/breakers.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { Problem } from '../../lib/core/errors.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { forEachTest } from '../fakes/lifetimes.ts'
import { answer, ask, failure } from '../fakes/model-steps.ts'
import { chunk, DONE, events, hang, type Reply, reset, startWire, status } from '../fakes/model-wire.ts'

const completeAnswer = events(chunk({ content: 'Hello' }), chunk({}, 'stop'), DONE)
const wire = forEachTest(startWire, ({ close }) => close())

const guarded = (...replies: Reply[]) => {
  wire().replies.push(...replies)
  const clock = createFakeClock()
  const breakers = createBreakers({ clock, isFault: isProviderFault, threshold: 2 })
  const guard = <T>(provider: string, call: () => Promise<T>) => breakers.of(provider).run(call)
  const settings = { providers: { ollama: { baseUrl: wire().origin } }, retries: 0 }
  return {
    models: createModels({ settings, clock: createClock(), guard }),
    breaker: breakers.of('ollama'),
    clock,
  }
}

describe('the circuit breaker of a provider', () => {
  it.each<[string, Reply]>([
    ['HTTP 500', status(500, {})],
    ['a reset in the middle', reset(chunk({ content: 'Hel' }))],
    ['a stream without an end', events(chunk({ content: 'Hel' }))],
  ])('opens after %s in a row, refuses at once, and closes after a whole answer', async (_, reply) => {
    const { models, breaker, clock } = guarded(reply, reply, completeAnswer)
    await failure(models, ask('Hi'))
    await failure(models, ask('Hi'))
    expect(breaker.state).toBe('OPEN')
    const { thrown } = await failure(models, ask('Hi'))
    expect(thrown).toMatchObject({ kind: 'unavailable', code: 'circuit_open' })
    expect(wire().heard).toHaveLength(2)
    clock.advance(10_000)
    expect((await answer(models, ask('Hi'))).text).toBe('Hello')
    expect(breaker.state).toBe('CLOSED')
  })

  it.each<[string, Reply]>([
    ['HTTP 400', status(400, {})],
    ['HTTP 401', status(401, {})],
    ['HTTP 429', status(429, {})],
  ])('does not count %s', async (_, reply) => {
    const { models, breaker } = guarded(reply)
    await failure(models, ask('Hi'))
    await failure(models, ask('Hi'))
    expect([breaker.state, breaker.failures]).toEqual(['CLOSED', 0])
  })

  it('counts neither a reader who leaves nor one who cancels', async () => {
    const { models, breaker } = guarded(hang(chunk({ content: 'Hel' })))
    for await (const part of models.step(ask('Hi'))) if (part.type === 'text') break
    const stop = new AbortController()
    const run = failure(models, ask('Hi', { signal: stop.signal }))
    while (wire().heard.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    stop.abort(new Error('Cancelled'))
    await run
    expect([breaker.failures, breaker.successes]).toEqual([0, 0])
  })

  it('counts a whole answer as one success', async () => {
    const { models, breaker } = guarded(completeAnswer)
    await answer(models, ask('Hi'))
    expect([breaker.failures, breaker.successes]).toEqual([0, 1])
  })
})

describe('a fault of a provider', () => {
  it('is none in errors of other kinds', () => {
    const others = [
      new Error('x'),
      undefined,
      new Problem('unavailable', 'circuit_open', 'x'),
      new Problem('internal', 'provider_error', 'x'),
    ]
    expect(others.map(isProviderFault)).toEqual([false, false, false, false])
  })
})
