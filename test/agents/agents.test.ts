import { describe, expect, it } from '@jest/globals'
import type { AgentAdapter } from '../../lib/ports/agent.ts'
import { createFakeAgent } from '../fakes/agent.ts'
import { createCaller } from '../fakes/caller.ts'
import { startDomains, turns } from '../fakes/service.ts'

const started = async (more: Partial<AgentAdapter> = {}) => {
  const agent = createFakeAgent(undefined, more)
  const service = await startDomains({
    adapters: [createFakeAgent(undefined, { type: 'steady' }), agent],
    env: { DEFAULT_AGENT: 'test-agent', QUEUE_RETRY_ATTEMPTS: '1' },
  })
  const call = createCaller(service)
  const list = async () => (await call('GET /api/agents')).body.agents
  return { agent, service, call, list }
}

describe('GET /api/agents', () => {
  it('shows every agent, its health checked now, and its statistics', async () => {
    const { list } = await started({
      canResume: true,
      healthCheck: async () => ({ healthy: true, latencyMs: 12, message: 'fine' }),
    })

    expect(await list()).toEqual([
      expect.objectContaining({ type: 'steady', canResume: false }),
      {
        type: 'test-agent',
        name: 'Test agent',
        description: 'Does what a test tells it to',
        capabilities: ['test'],
        canResume: true,
        timeoutMs: 300_000,
        family: 'module',
        configured: true,
        healthy: true,
        health: { latencyMs: 12, message: 'fine', lastChecked: '2026-01-01T12:00:00.000Z' },
        isDefault: true,
        inService: true,
        runners: [],
        stats: { completed: 0, failed: 0, avgDuration: 0 },
      },
    ])
  })

  it.each<[name: string, stated: number | undefined, longestAttemptMs: number | undefined, shown: number]>([
    ['of the agent', 3_600_000, undefined, 3_600_000],
    ['of the installation, where the agent states none', undefined, undefined, 60_000],
    ['of a function, where that ends sooner', 3_600_000, 840_000, 840_000],
  ])('shows the time limit %s', async (_name, timeoutMs, longestAttemptMs, shown) => {
    const agent = createFakeAgent(undefined, { ...(timeoutMs && { timeoutMs }) })
    const env = { POOL_TIMEOUT_MS: '60000' }
    await using service = await startDomains({
      adapters: [agent],
      env,
      ...(longestAttemptMs && { longestAttemptMs }),
    })
    const { body } = await createCaller(service)('GET /api/agents')

    expect(body.agents[0].timeoutMs).toBe(shown)
  })

  it('says what one that is not configured lacks, until when its last check counts, and the most that a task may cost', async () => {
    const checks: unknown[] = []
    const agent = createFakeAgent(undefined, {
      configured: () => false,
      missing: () => ({ install: 'npm install -g it', missingSettings: ['IT_KEY'] }),
      healthCheck: async (options) => {
        checks.push(options)
        return { healthy: false, checkedAt: Date.parse('2025-12-31T00:00:00.000Z') }
      },
    })
    await using service = await startDomains({ adapters: [agent], env: { AGENT_MAX_COST_USD: '5' } })
    const call = createCaller(service)
    expect((await call('GET /api/agents')).body.agents[0]).toMatchObject({
      install: 'npm install -g it',
      missingSettings: ['IT_KEY'],
      maxCostUsd: 5,
      health: { lastChecked: '2025-12-31T00:00:00.000Z' },
    })
    await call('GET /api/agents?fresh=true')
    expect(checks).toEqual([{ isFresh: false }, { isFresh: true }])
  })

  it.each<
    [
      what: string,
      canWork: boolean,
      worker: 'on' | 'off',
      has: boolean,
      shown: Readonly<Record<string, boolean>>,
    ]
  >([
    ['the service', true, 'on', false, { configured: true, healthy: false, inService: true }],
    ['both', true, 'on', true, { configured: true, healthy: false, inService: true }],
    ['a runner', false, 'on', true, { configured: true, healthy: true, inService: false }],
    ['a runner alone', true, 'off', true, { configured: true, healthy: true, inService: false }],
    ['nothing that runs tasks', true, 'off', false, { configured: true, healthy: false, inService: false }],
    ['nothing', false, 'on', false, { configured: false, healthy: false, inService: false }],
  ])(
    'says of an agent that %s has where it can work, and what it lacks only where nothing has it',
    async (...it) => {
      const [, canWork, worker, has, shown] = it
      const agent = createFakeAgent(undefined, {
        configured: () => canWork,
        missing: () => ({ install: 'npm install -g it' }),
        healthCheck: async () => ({ healthy: false, message: 'not here', version: '1' }),
      })
      await using service = await startDomains({ adapters: [agent], env: { WORKER: worker } })
      const agents = has ? [{ type: agent.type, version: '2' }] : []
      const principal = { userId: 'root', role: 'admin', tokenId: 'tok_shared' } as const
      await service.runners.registry.register(principal, {
        ...{ name: 'build-1', version: '1', protocol: 1, labels: [], concurrency: 1, isolation: 'none' },
        agents,
      })
      const [listed] = (await createCaller(service)('GET /api/agents')).body.agents
      expect(listed).toMatchObject({ ...shown, runners: has ? ['build-1'] : [] })
      expect('install' in listed).toBe(!shown.configured)
      const isOfRunner = has && !shown.inService
      expect([listed.version, listed.health.message]).toEqual(
        isOfRunner ? ['2', undefined] : ['1', 'not here'],
      )
    },
  )

  it('measures the latency that the adapter does not tell', async () => {
    const { list } = await started()
    expect((await list())[1].health.latencyMs).toBe(0)
  })

  it('counts what its runs came to', async () => {
    const { agent, service, list } = await started()
    await service.run()
    service.clock.advance(1_000)
    await service.run()
    service.clock.advance(1_000)
    agent.execute = () => Promise.reject(new Error('broken'))
    await service.run()

    expect((await list())[1]).toMatchObject({
      lastActivity: '2026-01-01T12:00:02.000Z',
      stats: { completed: 2, failed: 1, avgDuration: 0 },
    })
    expect((await list())[0]).toMatchObject({ stats: { completed: 0, failed: 0 } })
  })

  it.each<[name: string, healthCheck: () => Promise<unknown>, message: string]>([
    ['throws', () => Promise.reject(new Error('no network')), 'no network'],
    ['answers nothing', async () => undefined, ''],
  ])('shows an agent whose health check %s as unhealthy', async (_name, healthCheck, message) => {
    const { list } = await started({ healthCheck: healthCheck as AgentAdapter['healthCheck'] })

    const [steady, agent] = await list()
    expect(agent).toMatchObject({ healthy: false, health: { message: expect.stringContaining(message) } })
    expect(steady.healthy).toBe(true)
  })

  it('shows an agent whose health check throws before it returns a promise as unhealthy', async () => {
    const { list } = await started({
      healthCheck: () => {
        throw new Error('at once')
      },
    })
    expect((await list())[1]).toMatchObject({ healthy: false, health: { message: 'at once' } })
  })

  it('takes healthy for true only when it is', async () => {
    const { list } = await started({ healthCheck: async () => ({ healthy: 'yes' as unknown as boolean }) })
    expect((await list())[1].healthy).toBe(false)
  })

  it('waits five seconds for a health check that hangs, not longer', async () => {
    const { list, service } = await started({ healthCheck: () => new Promise(() => undefined) })
    let listed: unknown[] | undefined
    void list().then((agents) => {
      listed = agents
    })
    await turns()
    service.clock.advance(4_999)
    await turns()
    expect(listed).toBeUndefined()
    service.clock.advance(1)
    await turns()

    expect(listed?.[1]).toMatchObject({
      healthy: false,
      health: { message: expect.stringContaining('5 seconds') },
    })
  })

  it('shows an agent that cannot say whether it is configured as not configured', async () => {
    const { list } = await started({
      configured: () => {
        throw new Error('no idea')
      },
    })
    expect((await list()).map(({ configured }: { configured: boolean }) => configured)).toEqual([true, false])
  })

  it('leaves an agent alone for ten seconds after ten faults in a row', async () => {
    let checks = 0
    const { list, service } = await started({
      healthCheck: () => {
        checks++
        return Promise.reject(new Error('down'))
      },
    })
    for (let time = 0; time < 12; time++) await list()
    expect(checks).toBe(10)
    expect((await list())[1].health.message).toContain('calls are paused')
    service.clock.advance(10_000)
    await list()

    expect(checks).toBe(11)
  })

  it('does not count an agent that answers unhealthy as a fault', async () => {
    let checks = 0
    const { list } = await started({ healthCheck: async () => ({ healthy: ++checks < 0 }) })
    for (let time = 0; time < 12; time++) await list()

    expect(checks).toBe(12)
  })
})

describe('GET /api/agents/types', () => {
  it('lists what a task can be assigned to', async () => {
    const { call } = await started()
    expect((await call('GET /api/agents/types')).body).toEqual({
      types: ['steady', 'test-agent'],
      names: { steady: 'Test agent', 'test-agent': 'Test agent' },
    })
  })
})
