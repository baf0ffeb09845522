import { describe, expect, it } from '@jest/globals'
import type { Store } from '../../lib/ports/store.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { startDomains, turns, until } from '../fakes/service.ts'

const TASKS = 70

/** Storage whose claims are held back while `isClosed`, and counted. */
const gated = () => {
  const gate = { isClosed: false, claims: 0, open: () => undefined as unknown }
  const waiting: (() => void)[] = []
  gate.open = () => {
    gate.isClosed = false
    for (const resolve of waiting.splice(0)) resolve()
  }
  const over = (real: Store): Store => ({
    ...real,
    commit: async (head, ...more) => {
      const isClaim =
        'update' in head && (head.set as { status?: string } | undefined)?.status === 'in_progress'
      if (isClaim && gate.isClosed) {
        gate.claims += 1
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
      return real.commit(head, ...more)
    },
  })
  return { gate, over }
}

/** A service whose agent ends at once, until `hold` is called. */
const afterShortRuns = async (env: Record<string, string> = {}) => {
  const { gate, over } = gated()
  let isHolding = false
  const agent = createFakeAgent((task, context) =>
    isHolding ? HOLD(task, context) : Promise.resolve({ success: true, output: 'done' }),
  )
  const service = await startDomains({ adapters: [agent], wrapStore: over, env })
  for (let n = 0; n < 100; n += 1) await service.create()
  await until(async () => (await service.counters.byStatus()).completed === 100)
  isHolding = true
  const runs = () => agent.runs.slice(100)
  return { gate, service, agent, runs, [Symbol.asyncDispose]: service[Symbol.asyncDispose] }
}

describe('a worker', () => {
  it('claims no more tasks than it has slots for, also after short runs', async () => {
    await using world = await afterShortRuns()
    const { gate, service } = world
    gate.isClosed = true
    for (let n = 0; n < TASKS; n += 1) await service.create()
    await turns(50)
    expect(gate.claims).toBe(service.config.QUEUE_CONCURRENCY)
    gate.open()
    await turns(50)
    expect(await service.counters.byStatus()).toMatchObject({
      in_progress: service.config.QUEUE_CONCURRENCY,
      queued: TASKS - service.config.QUEUE_CONCURRENCY,
    })
    service.active.stopAll('shutdown')
  })

  it.each([
    ['QUEUE_CONCURRENCY', { QUEUE_CONCURRENCY: '2' }],
    ['POOL_MAX_CONCURRENT', { POOL_MAX_CONCURRENT: '2' }],
  ])('whose slots are bounded by %s chooses by priority at every claim', async (_, env) => {
    await using world = await afterShortRuns(env)
    const { service, runs } = world
    for (let n = 0; n < TASKS; n += 1) await service.create({ title: `Normal ${n}` })
    await until(() => runs().length === 2)
    await service.create({ title: 'Urgent', priority: 1 })
    await service.create({ title: 'High', priority: 2 })
    await turns()
    for (let n = 0; n < 3; n += 1) {
      runs()[n]?.finish()
      await until(() => runs().length === n + 3)
    }
    expect(runs().map(({ task }) => task.title)).toEqual([
      'Normal 0',
      'Normal 1',
      'Urgent',
      'High',
      'Normal 2',
    ])
    service.active.stopAll('shutdown')
  })
})
