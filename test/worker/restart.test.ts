import { describe, expect, it } from '@jest/globals'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { startDomains, turns } from '../fakes/service.ts'
import { sampleRow, store } from '../tasks/samples.ts'

const held = { status: 'in_progress', fence: 1, startedAt: '2026-01-01T11:59:00.000Z' } as const

describe('a restart', () => {
  it('sends queued tasks again, the urgent ones first', async () => {
    const before = await startDomains({ background: false })
    for (const priority of [4, 1, 2]) await before.create({ priority })
    const agent = createFakeAgent()
    const service = await startDomains({ after: before, adapters: [agent], env: { QUEUE_CONCURRENCY: '1' } })
    await turns(40)

    expect(await service.counters.byStatus()).toMatchObject({ completed: 3, queued: 0 })
    expect(agent.runs.map(({ task }) => (task as { priority?: number }).priority)).toEqual([1, 2, 4])
  })

  it('keeps what is left of a backoff', async () => {
    const failing = createFakeAgent(() => Promise.reject(new Error('broken')))
    const before = await startDomains({ adapters: [failing], env: { QUEUE_RETRY_BACKOFF_MS: '60000' } })
    await before.run()
    await before.background.stop()
    before.clock.advance(20_000)

    const agent = createFakeAgent()
    const service = await startDomains({ after: before, adapters: [agent] })
    await service.pass(39_000)
    expect(agent.runs).toHaveLength(0)
    await service.pass(2_000)

    expect(agent.runs.map(({ attempt }) => attempt)).toEqual([2])
  })

  it('waits no longer than the longest backoff, although the clock stands two hours behind by then', async () => {
    const failing = createFakeAgent(() => Promise.reject(new Error('broken')))
    const before = await startDomains({ adapters: [failing], env: { QUEUE_RETRY_BACKOFF_MS: '60000' } })
    await before.run()
    await before.background.stop()
    before.clock.setWall(before.clock.now() - 7_200_000)

    const agent = createFakeAgent()
    const service = await startDomains({ after: before, adapters: [agent] })
    await service.pass(901_000)

    expect(agent.runs).toHaveLength(1)
  })

  it('takes back what the dead process ran, its attempt counted, lease or not', async () => {
    const before = await startDomains({ background: false })
    await store(before, sampleRow({ ...held, attempts: 1, leaseExpiresAt: before.clock.now() + 30_000 }))
    const agent = createFakeAgent()
    const service = await startDomains({ after: before, adapters: [agent] })
    await turns()

    expect(agent.runs.map(({ attempt }) => attempt)).toEqual([2])
    expect(await service.tasks.get('task_sample')).toMatchObject({ status: 'completed', attempts: 2 })
  })

  it('fails a task that has killed its process on every attempt', async () => {
    let service = await startDomains({ adapters: [createFakeAgent(HOLD)] })
    const { id } = await service.run()
    for (let death = 0; death < 3; death++) {
      service = await startDomains({ after: service, adapters: [createFakeAgent(HOLD)] })
      await turns()
    }

    expect(await service.tasks.get(id)).toMatchObject({
      status: 'failed',
      attempts: 3,
      error: { code: 'worker_lost' },
    })
    expect((await service.deadLetters.countAll()).pending).toBe(1)
  })

  it('takes up more tasks than fit on a page, each once', async () => {
    const before = await startDomains({ background: false })
    await Promise.all(Array.from({ length: 1_200 }, (_, at) => before.create({ title: `${at}` })))
    for (const at of Array.from({ length: 30 }, (_, n) => n)) {
      await store(before, sampleRow({ ...held, id: `task_held_${at}`, attempts: 1, leaseExpiresAt: 1 }))
    }
    const agent = createFakeAgent()
    const service = await startDomains({ after: before, adapters: [agent] })
    await turns(1_500)

    expect(await service.counters.byStatus()).toMatchObject({ completed: 1_230 })
    expect(new Set(agent.runs.map(({ task }) => task.id)).size).toBe(1_230)
    expect(agent.runs).toHaveLength(1_230)
  })
})
