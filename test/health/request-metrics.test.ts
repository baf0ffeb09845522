import { describe, expect, it } from '@jest/globals'
import { createRequestMetrics } from '../../lib/health/request-metrics.ts'
import { createFakeClock } from '../fakes/clock.ts'

describe('request metrics', () => {
  it('keep routes apart, with their statuses and latencies', () => {
    const metrics = createRequestMetrics({ clock: createFakeClock() })
    for (let ms = 1; ms <= 100; ms++) metrics.record('GET /a', ms > 90 ? 503 : 200, ms)
    metrics.record('POST /a', 404, 7)
    metrics.record('POST /a', 501, 7)
    const [get, post] = metrics.read().endpoints
    expect(get).toMatchObject({ method: 'GET', path: '/a', count: 100, totalMs: 5_050 })
    expect([...(get?.byClass ?? [])]).toEqual([0, 0, 90, 0, 0, 10])
    // What an installation was not given is no fault.
    expect([get?.faults, post?.faults]).toEqual([10, 0])
    expect(get?.latency.quantile(0.95)).toBeCloseTo(95, -1)
    expect(post).toMatchObject({ method: 'POST', count: 2 })
  })

  it('show requests that no route took as one, however many paths they had', () => {
    const metrics = createRequestMetrics({ clock: createFakeClock() })
    for (let n = 0; n < 1_000; n++) metrics.record('', 404, 1)
    expect(metrics.read().endpoints).toMatchObject([{ method: 'ANY', path: '*', count: 1_000 }])
  })

  it.each([
    [0, 10],
    [59_000, 10],
    [60_000, 0],
    [3_600_000, 0],
  ])('count per minute what is younger than a minute: after %i ms, %i', (ms, perMinute) => {
    const clock = createFakeClock()
    const metrics = createRequestMetrics({ clock })
    for (let n = 0; n < 10; n++) metrics.record('GET /a', 200, 1)
    clock.advance(ms)
    expect(metrics.read().perMinute).toBe(perMinute)
  })

  it('count a steady stream the same in every minute, with the ring going round', () => {
    const clock = createFakeClock()
    const metrics = createRequestMetrics({ clock })
    for (let second = 0; second < 150; second++) {
      metrics.record('GET /a', 200, 1)
      metrics.record('GET /b', 200, 1)
      clock.advance(1_000)
    }
    // The current second has only begun, so 59 whole ones lie in the minute.
    expect(metrics.read().perMinute).toBe(118)
  })
})
