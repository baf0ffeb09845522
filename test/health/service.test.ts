import { afterEach, describe, expect, it } from '@jest/globals'
import { healthRoutes } from '../../lib/health/contract.ts'
import { healthHandlers } from '../../lib/health/handlers.ts'
import type { DetailedHealth } from '../../lib/health/schema.ts'
import { createHealth, type HealthNeeds } from '../../lib/health/service.ts'
import { serve } from '../http/serve.ts'
import { healthyNeeds, READING } from './needs.ts'

let close = async () => undefined as unknown
afterEach(() => close())

/** What the health routes answer behind the real host. */
const get = async (path: string, needs: HealthNeeds = healthyNeeds(), headers = {}) => {
  const service = await serve(healthRoutes, healthHandlers({ health: createHealth(needs) }))
  close = service.close
  return service.send({ path: `/api/health${path}`, headers })
}
const NOON = '2026-01-01T12:00:00.000Z'
const storageDown = async () => {
  throw new Error('disk full at /secret/place')
}

describe('GET /api/health', () => {
  it('answers 200 whatever fails', async () => {
    const down = { taskCounts: storageDown, checks: { storage: storageDown } }
    const answer = await get('', { ...healthyNeeds(), ...down })
    expect([answer.status, answer.json]).toEqual([200, { status: 'healthy', timestamp: NOON }])
  })
})

describe('GET /api/health/ready', () => {
  it('answers 200 once every check holds', async () => {
    const answer = await get('/ready')
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({
      status: 'ready',
      checks: [
        { name: 'storage', status: 'ready' },
        { name: 'workers', status: 'ready' },
      ],
    })
  })

  it.each<[string, () => boolean | Promise<boolean>]>([
    ['answers no', () => false],
    ['rejects', storageDown],
    [
      'throws',
      () => {
        throw new Error('not open')
      },
    ],
  ])('answers 503 when one %s, names it, and keeps the reason to the log', async (_how, storage) => {
    const needs = healthyNeeds()
    const answer = await get('/ready', { ...needs, checks: { storage, workers: () => true } })
    expect(answer.status).toBe(503)
    expect(answer.json).toEqual({
      status: 'not_ready',
      checks: [
        { name: 'storage', status: 'not_ready' },
        { name: 'workers', status: 'ready' },
      ],
    })
    expect(answer.text).not.toContain('secret')
  })
})

describe('GET /api/health/detailed', () => {
  it('shows every component, the version and the machine', async () => {
    const answer = await get('/detailed')
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({
      status: 'healthy',
      version: '1.2.3',
      timestamp: NOON,
      uptime: 60,
      components: {
        queue: {
          status: 'healthy',
          message: '6 active tasks',
          details: { pending: 1, queued: 2, inProgress: 3, failed: 5, totalActive: 6 },
          lastChecked: NOON,
        },
        adapters: {
          status: 'healthy',
          message: '1 of 1 agents are healthy',
          adapters: [{ type: 'coding-agent', name: 'Coding agent', healthy: true, latencyMs: 12 }],
          lastChecked: NOON,
        },
        circuitBreakers: {
          status: 'healthy',
          message: 'All circuits are closed',
          breakers: [{ name: 'agent:coding-agent', state: 'CLOSED', failures: 1, successes: 9 }],
          lastChecked: NOON,
        },
        deadLetterQueue: {
          status: 'healthy',
          message: '5 pending',
          details: { pending: 5, resolved: 1, discarded: 2, total: 8 },
          lastChecked: NOON,
        },
        runners: {
          status: 'healthy',
          message: '1 of 1 runners take tasks',
          canRun: true,
          worker: 'on',
          runners: [
            {
              name: 'build-1',
              status: 'online',
              drained: false,
              labels: ['gpu'],
              isolation: 'bubblewrap',
              agents: ['claude-code'],
            },
          ],
          lastChecked: NOON,
        },
      },
      system: {
        platform: 'linux',
        nodeVersion: 'v24.0.0',
        memory: { used: 1_000, total: 3_000, percentage: 33.33 },
        cpu: { loadAverage: READING.loadAverage },
      },
    })
  })

  it('answers 200 while degraded', async () => {
    const answer = await get('/detailed', { ...healthyNeeds(), adapters: async () => [] })
    expect([answer.status, answer.json]).toEqual([200, expect.objectContaining({ status: 'degraded' })])
  })

  it('answers 503 when a component cannot be read, shows the others, and keeps the reason to the log', async () => {
    const needs = healthyNeeds()
    const answer = await get('/detailed', { ...needs, taskCounts: storageDown })
    expect(answer.status).toBe(503)
    expect(answer.json).toMatchObject({
      status: 'unhealthy',
      components: { queue: { status: 'unhealthy' }, deadLetterQueue: { status: 'healthy' } },
    })
    expect(answer.text).not.toContain('secret')
    expect(needs.log.entries).toMatchObject([{ level: 'warn', fields: { component: 'queue' } }])
  })

  it('waits six seconds for a component that never answers, and not longer', async () => {
    const needs = healthyNeeds()
    const pending = createHealth({ ...needs, adapters: () => new Promise(() => undefined) }).detailed({
      isAdmin: true,
    })
    needs.clock.advance(6_000)
    expect((await pending).components.adapters).toMatchObject({ status: 'unhealthy', adapters: [] })
  })

  it('does not say whether a task can run where the runners cannot be read', async () => {
    const answer = await get('/detailed', { ...healthyNeeds(), runs: storageDown })
    const { runners } = (answer.json as DetailedHealth).components
    expect(runners).toMatchObject({ status: 'unhealthy', worker: 'on', runners: [] })
    expect(runners).not.toHaveProperty('canRun')
  })
})

describe('a check that was answered', () => {
  it('leaves no timer behind', async () => {
    const needs = healthyNeeds()
    const health = createHealth(needs)
    await Promise.all([health.detailed({ isAdmin: true }), health.readiness()])
    expect(needs.clock.pending).toBe(0)
  })
})

describe('GET /api/health/metrics', () => {
  it('sums requests up, and shows tasks of every state', async () => {
    const needs = healthyNeeds()
    needs.requests.record('GET /api/tasks', 200, 5)
    needs.requests.record('GET /api/tasks', 500, 5)
    const answer = await get('/metrics', needs)
    expect(answer.json).toEqual({
      scope: 'instance',
      uptime: 60,
      requests: { total: 2, perMinute: 2, errorRate: 0.5 },
      endpoints: [
        {
          method: 'GET',
          path: '/api/tasks',
          count: 2,
          errorRate: 0.5,
          p50Ms: expect.closeTo(5, 0),
          p95Ms: expect.closeTo(5, 0),
          p99Ms: expect.closeTo(5, 0),
        },
      ],
      tasks: { pending: 1, queued: 2, in_progress: 3, completed: 4, failed: 5, cancelled: 0 },
    })
  })

  it('speaks to Prometheus in its own text format', async () => {
    const needs = healthyNeeds()
    needs.requests.record('GET /api/tasks', 200, 5)
    const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1'
    const answer = await get('/metrics', needs, { accept })
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(answer.text).toContain(
      [
        '# HELP http_requests_total Requests by route and status class.',
        '# TYPE http_requests_total counter',
        'http_requests_total{method="GET",path="/api/tasks",status="2xx"} 1',
      ].join('\n'),
    )
    expect(answer.text).toContain('http_request_duration_seconds_count{method="GET",path="/api/tasks"} 1\n')
    expect(answer.text).toContain('agent_tasks{status="in_progress"} 3\n')
    expect(answer.text).toContain('agent_dead_letters{status="pending"} 5\n')
    expect(answer.text).toContain('circuit_breaker_open{name="agent:coding-agent"} 0\n')
    expect(answer.text).toContain('process_start_time_seconds 1767268740\n')
  })

  it('keeps to the exposition format in every line', async () => {
    const needs = healthyNeeds()
    needs.requests.record('GET /api/tasks/{id}', 404, 0)
    const text = await createHealth(needs).exposition()
    expect(text.endsWith('\n')).toBe(true)
    const sample = /^[a-z_]+(\{([a-z]+="[^"\n]*",?)+\})? -?[0-9.e+-]+$/
    const comment = /^# (HELP [a-z_]+ .+|TYPE [a-z_]+ (counter|gauge|summary))$/
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(line.startsWith('#') ? comment : sample)
  })
})
