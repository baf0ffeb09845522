import { describe, expect, it } from '@jest/globals'
import { type Cost, UNKNOWN_COST } from '../../lib/core/cost.ts'
import { createCostLimit } from '../../lib/core/cost-limit.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import type { TaskRow } from '../../lib/tasks/schema.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { ANN, startDomains, turns } from '../fakes/service.ts'

const price = (usd: number): Cost => ({ usd, source: 'price' })

describe('the cost of a task', () => {
  it('is the sum of its attempts, also of those that failed', async () => {
    const agent = createFakeAgent(async (_task, { attempt, spent }) => {
      spent(price(0.25))
      spent(price(0.5))
      if (attempt === 1) throw new Error('broken')
      return { success: true, output: 'done' }
    })
    const service = await startDomains({ adapters: [agent], env: { QUEUE_RETRY_ATTEMPTS: '2' } })
    const { id } = await service.run()
    expect((await service.tasks.get(id)).cost).toEqual(price(0.5))
    await service.pass(60_000)
    expect(await service.tasks.get(id)).toMatchObject({ status: 'completed', attempts: 2, cost: price(1) })
  })

  it('is told for each attempt at its end, all runs of the attempt together', async () => {
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({ adapters: [agent], env: { QUEUE_RETRY_ATTEMPTS: '4' } })
    const { id } = await service.run()
    const lease = service.tasks.lease
    const row = async () => (await service.store.get(tasks, id)) as TaskRow
    agent.runs[0]?.spent(price(0.25))
    agent.runs[0]?.fail(new Error('broken'))
    await service.pass(5_000)
    // Lost after a heartbeat: what it had told counts.
    agent.runs[1]?.spent(price(0.5))
    await service.pass(15_000)
    await lease.recover(await row())
    await service.pass(5_000)
    const waits = { checkpoint: {}, message: 'Waits', approvals: [{ approvalId: 'none' }] }
    await lease.suspend({ ...(await row()), cost: price(2.75), attemptCost: price(2) }, waits)
    const { attempts } = await row()
    const resumed = (await lease.claim({ taskId: id, attempt: attempts, resume: true })) as TaskRow
    expect(resumed.attemptCost).toEqual(price(2))
    await lease.succeed(
      { ...resumed, cost: price(3.75), attemptCost: price(3) },
      { success: true, output: '' },
    )
    const { events } = await service.tasks.events(id)
    expect(events.flatMap(({ type, metadata }) => (metadata?.cost ? [[type, metadata.cost]] : []))).toEqual([
      ['retrying', price(0.25)],
      ['recovered', price(0.5)],
      ['completed', price(3)],
    ])
    expect((await row()).attemptCost).toBeUndefined()
  })

  it.each<[string, unknown, Cost | undefined]>([
    ['what the result says', { usd: 2, source: 'provider' }, { usd: 2, source: 'provider' }],
    ['unknown', UNKNOWN_COST, UNKNOWN_COST],
    ['absent for a result without it', undefined, undefined],
    ['absent for what is no cost', { usd: 'much' }, undefined],
  ])('is %s, where the agent tells nothing before', async (_title, cost, expected) => {
    const agent = createFakeAgent(async () => ({ success: true, output: 'done', cost }) as never)
    const service = await startDomains({ adapters: [agent] })
    const { id } = await service.run()
    expect((await service.tasks.get(id)).cost).toEqual(expected)
  })

  it('is kept for a run that was cancelled, or whose worker is lost after a heartbeat', async () => {
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({ adapters: [agent] })
    const { id } = await service.run()
    agent.runs[0]?.spent(price(0.5))
    await service.pass(20_000)
    expect(await service.tasks.get(id)).toMatchObject({ status: 'in_progress', cost: price(0.5) })
    agent.runs[0]?.spent(price(0.75))
    await service.tasks.cancel(ANN, id)
    await service.pass(5_000)
    expect(await service.tasks.get(id)).toMatchObject({ status: 'cancelled', cost: price(0.75) })
  })

  it('is that of the attempt in the event of a cancel: at once as far as it is stored, and whole once its agent has stopped', async () => {
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({ adapters: [agent], env: { QUEUE_RETRY_ATTEMPTS: '2' } })
    const { id } = await service.run()
    agent.runs[0]?.spent(price(2))
    agent.runs[0]?.fail(new Error('broken'))
    await service.pass(60_000)
    agent.runs[1]?.spent(price(0.5))
    await service.pass(20_000)
    const cancelled = async () =>
      (await service.tasks.events(id)).events.find(({ type }) => type === 'cancelled')
    await service.tasks.cancel(ANN, id)
    expect(await cancelled()).toMatchObject({ attempt: 2, metadata: { cost: price(0.5) } })
    agent.runs[1]?.spent(price(0.75))
    await service.pass(5_000)
    expect(await cancelled()).toMatchObject({ attempt: 2, metadata: { cost: price(0.75) } })
    expect(await service.tasks.get(id)).toMatchObject({ cost: price(2.75) })
  })

  it('is in no event of a cancel between two attempts', async () => {
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({ adapters: [agent], env: { QUEUE_RETRY_ATTEMPTS: '2' } })
    const { id } = await service.run()
    agent.runs[0]?.spent(price(2))
    agent.runs[0]?.fail(new Error('broken'))
    await turns()
    await service.tasks.cancel(ANN, id)
    const { events } = await service.tasks.events(id)
    expect(events.at(-1)).toMatchObject({ type: 'cancelled' })
    expect(events.at(-1)).not.toHaveProperty('metadata')
  })
})

describe('the cost limit of a task', () => {
  it('leaves each attempt the rest, and begins none without any', async () => {
    const limits: (number | undefined)[] = []
    const agent = createFakeAgent((_task, { costLimitUsd, spent }) => {
      limits.push(costLimitUsd)
      spent(price(0.75))
      return Promise.reject(new Error('broken'))
    })
    const service = await startDomains({ adapters: [agent], env: { QUEUE_RETRY_ATTEMPTS: '5' } })
    const { id } = await service.run({ maxCostUsd: 1 })
    await service.pass(600_000)
    await turns()
    expect(limits).toEqual([1, 0.25])
    expect(await service.tasks.get(id)).toMatchObject({
      status: 'failed',
      attempts: 3,
      cost: price(1.5),
      error: { code: 'cost_limit_reached' },
    })
  })

  it.each<[string, number, object, unknown]>([
    ['is crossed', 1.25, {}, 'The last response exceeded the cost limit. This attempt cost $1.25 of $1.00'],
    ['is reached', 1, {}, undefined],
    ['is crossed by what the result says', 0, { cost: price(2) }, expect.stringContaining('$2.00')],
  ])('that %s by the last answer of a task that is completed is told', async (_how, usd, more, warning) => {
    const agent = createFakeAgent(async (_task, { spent }) => {
      if (usd > 0) spent(price(usd))
      return { success: true, output: 'done', ...more }
    })
    const service = await startDomains({ adapters: [agent] })
    const { id } = await service.run({ maxCostUsd: 1 })
    await turns()
    const { status, result } = await service.tasks.get(id)
    expect([status, result?.costWarning]).toEqual(['completed', warning])
    const { events } = await service.tasks.events(id)
    expect(events.filter(({ type }) => type === 'progress').map(({ message }) => message)).toEqual(
      warning ? [warning] : [],
    )
  })

  it.each([
    ['none', undefined, {}, undefined],
    ['that of the task', undefined, { maxCostUsd: 2 }, 2],
    ['that of the installation', 3, {}, 3],
    ['the smaller one', 3, { maxCostUsd: 5 }, 3],
    ['without what was spent', undefined, { maxCostUsd: 2, cost: price(0.5) }, 1.5],
    ['anew after a redrive', undefined, { maxCostUsd: 2, cost: price(1.5), costBefore: 1.5 }, 2],
    ['the whole where the cost is unknown', undefined, { maxCostUsd: 2, cost: UNKNOWN_COST }, 2],
  ])('is %s', (_title, installation, task, expected) => {
    expect(createCostLimit(installation)(task)).toBe(expected)
  })
})
