import { describe, expect, it } from '@jest/globals'
import { createBreakers } from '../../lib/adapters/node/breakers.ts'
import { createFakeClock } from '../fakes/clock.ts'

class Fault extends Error {}

const opened = () => {
  const clock = createFakeClock()
  const breakers = createBreakers({ clock, isFault: (error) => error instanceof Fault })
  const breaker = breakers.of('provider')
  const events = {
    success: () => breaker.run(async () => 'fine'),
    fault: () => breaker.run(() => Promise.reject(new Fault('down'))),
    other: () => breaker.run(() => Promise.reject(new Error('400'))),
    wait: async () => clock.advance(10_000),
    'almost wait': async () => clock.advance(9_999),
  }
  const tell = (event: keyof typeof events) =>
    events[event]().then(
      () => undefined,
      () => undefined,
    )
  return { clock, breakers, breaker, tell }
}
type Event = Parameters<ReturnType<typeof opened>['tell']>[0]
const times = (count: number, event: Event) => Array.from({ length: count }, () => event)

/** A call that ends when it is told how. */
const pending = () => {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  return {
    call: () => promise,
    succeed: () => resolve('late'),
    fail: () => reject(new Fault('late')),
    'say nothing': () => reject(new Error('400')),
  }
}

describe('a circuit breaker', () => {
  it.each<[title: string, events: Event[], state: string]>([
    ['is closed at first', [], 'CLOSED'],
    ['stays closed at 9 faults in a row', times(9, 'fault'), 'CLOSED'],
    ['opens at 10 faults in a row', times(10, 'fault'), 'OPEN'],
    ['counts anew after a success', [...times(9, 'fault'), 'success', ...times(9, 'fault')], 'CLOSED'],
    ['counts on over other errors', [...times(9, 'fault'), ...times(20, 'other'), 'fault'], 'OPEN'],
    ['never opens for other errors', times(50, 'other'), 'CLOSED'],
    ['stays open until 10 s have passed', [...times(10, 'fault'), 'almost wait'], 'OPEN'],
    ['is half-open after 10 s', [...times(10, 'fault'), 'wait'], 'HALF_OPEN'],
    ['closes when the trial succeeds', [...times(10, 'fault'), 'wait', 'success'], 'CLOSED'],
    ['opens again when the trial fails', [...times(10, 'fault'), 'wait', 'fault'], 'OPEN'],
    ['waits 10 s anew after a failed trial', [...times(10, 'fault'), 'wait', 'fault', 'almost wait'], 'OPEN'],
    [
      'closes when a later trial succeeds',
      [...times(10, 'fault'), 'wait', 'fault', 'wait', 'success'],
      'CLOSED',
    ],
    ['is half-open again after that', [...times(10, 'fault'), 'wait', 'fault', 'wait'], 'HALF_OPEN'],
    ['stays half-open when the trial says nothing', [...times(10, 'fault'), 'wait', 'other'], 'HALF_OPEN'],
    [
      'tries again after a trial that said nothing',
      [...times(10, 'fault'), 'wait', 'other', 'success'],
      'CLOSED',
    ],
    [
      'counts from 0 after closing',
      [...times(10, 'fault'), 'wait', 'success', ...times(9, 'fault')],
      'CLOSED',
    ],
    [
      'opens again at 10 faults after closing',
      [...times(10, 'fault'), 'wait', 'success', ...times(10, 'fault')],
      'OPEN',
    ],
    ['does not hear calls it refused', [...times(10, 'fault'), ...times(5, 'success')], 'OPEN'],
  ])('%s', async (_title, events, state) => {
    const { breaker, tell } = opened()
    for (const event of events) await tell(event)
    expect(breaker.state).toBe(state)
  })

  it('gives back what the call came to', async () => {
    const { breaker } = opened()
    await expect(breaker.run(async () => 42)).resolves.toBe(42)
    await expect(breaker.run(() => Promise.reject(new Fault('down')))).rejects.toThrow('down')
  })

  it('refuses at once, without calling, and says when to come back', async () => {
    const { breaker, clock, tell } = opened()
    for (const event of times(10, 'fault')) await tell(event)
    clock.advance(4_000)
    let called = false
    const refused = breaker.run(async () => {
      called = true
    })
    await expect(refused).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'circuit_open',
      retryAfterMs: 6_000,
    })
    expect(called).toBe(false)
  })

  it('lets one trial through at a time', async () => {
    const { breaker, tell } = opened()
    for (const event of [...times(10, 'fault'), 'wait'] as const) await tell(event)
    const trial = pending()
    const running = breaker.run(trial.call)
    await expect(breaker.run(async () => 'second')).rejects.toMatchObject({ code: 'circuit_open' })
    expect(breaker.state).toBe('HALF_OPEN')
    trial.succeed()
    await running
    expect(breaker.state).toBe('CLOSED')
  })

  it.each(['succeed', 'fail', 'say nothing'] as const)(
    'learns nothing during the trial from calls that began before and now %s',
    async (ending) => {
      const { breaker, tell } = opened()
      const [early, trial] = [pending(), pending()]
      const before = breaker.run(early.call)
      for (const event of [...times(10, 'fault'), 'wait'] as const) await tell(event)
      const running = breaker.run(trial.call)
      early[ending]()
      await before.catch(() => undefined)
      expect(breaker.state).toBe('HALF_OPEN')
      await expect(breaker.run(async () => 'second')).rejects.toMatchObject({ code: 'circuit_open' })
      trial.succeed()
      await running
      expect(breaker.state).toBe('CLOSED')
    },
  )

  it('does not notice that the wall clock is set', async () => {
    const { breaker, clock, tell } = opened()
    for (const event of times(10, 'fault')) await tell(event)
    clock.setWall(clock.now() + 7_200_000)
    expect(breaker.state).toBe('OPEN')
  })

  it('adds up faults and successes, but neither refusals nor other errors', async () => {
    const { breaker, tell } = opened()
    for (const event of ['success', 'success', 'other', ...times(10, 'fault'), 'success'] as const)
      await tell(event)
    expect([breaker.successes, breaker.failures]).toEqual([2, 10])
  })
})

describe('the breakers', () => {
  it('are one per name, listed in the order of first use, and independent', async () => {
    const { breakers, tell } = opened()
    expect(breakers.of('provider')).toBe(breakers.of('provider'))
    for (const event of times(10, 'fault')) await tell(event)
    expect(breakers.of('other').state).toBe('CLOSED')
    expect(breakers.all().map(({ name, state }) => [name, state])).toEqual([
      ['provider', 'OPEN'],
      ['other', 'CLOSED'],
    ])
  })
})
