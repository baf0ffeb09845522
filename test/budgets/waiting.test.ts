import { describe, expect, it } from '@jest/globals'
import { type Cost, UNKNOWN_COST } from '../../lib/core/cost.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { createCaller } from '../fakes/caller.ts'
import { ANN, BOB, startDomains, turns } from '../fakes/service.ts'

const ADMIN = { userId: 'user_root', role: 'admin' } as const
const DAY_MS = 86_400_000
const price = (usd: number): Cost => ({ usd, source: 'price' })

/** A service whose agent spends what the metadata of its task says. */
const started = async (env: Record<string, string> = {}) => {
  const agent = createFakeAgent(async ({ metadata }, { spent }) => {
    spent(metadata?.cost as Cost)
    return { success: true, output: 'done' }
  })
  const service = await startDomains({ adapters: [agent], env })
  const spend = async (cost: Cost, as = ANN) => {
    const { id } = await service.create({ metadata: { cost } }, as)
    await turns()
    return service.tasks.get(id)
  }
  const told = async (as: typeof ANN | typeof ADMIN) =>
    (await service.notifications.list(as, { limit: 10 })).notifications.map(({ title }) => title)
  const call = createCaller(service)
  const set = (budget: object) => call('PATCH /api/settings', { body: { budget } })
  return { service, agent, spend, told, set }
}

describe('tasks at a monthly budget', () => {
  it('wait in the queue, admins are told once, and a higher budget starts them', async () => {
    const { service, agent, spend, told, set } = await started()
    await using _ = service
    await set({ monthlyUsd: 1 })
    for (const usd of [0.6, 0.4]) expect((await spend(price(usd))).status).toBe('completed')
    const waits = [await spend(price(0.5)), await spend(price(0.5), BOB)]
    for (const task of waits)
      expect(task).toMatchObject({
        status: 'queued',
        attempts: 0,
        waitingFor: 'budget',
        waiting: { reason: 'budget', until: '2026-02-01T00:00:00.000Z' },
      })
    expect((await service.tasks.events(waits[0]?.id ?? '')).events.at(-1)).toMatchObject({
      message: 'The monthly budget of $1.00 is used up: $1.00 in 2026-01',
      metadata: { code: 'waiting_for_budget' },
    })
    expect(await told(ADMIN)).toEqual(['The monthly budget of $1.00 is used up'])
    expect(await told(ANN)).toEqual([])
    await service.pass(5_000)
    expect(agent.runs).toHaveLength(2)
    await set({ monthlyUsd: 3 })
    await service.pass(5_000)
    for (const { id } of waits) expect((await service.tasks.get(id)).status).toBe('completed')
    expect(await told(ADMIN)).toHaveLength(1)
  })

  it('start in the next month', async () => {
    const { service, spend } = await started({ BUDGET_MONTHLY_USD: '1' })
    await using _ = service
    await spend(price(1))
    const { id, waitingFor } = await spend(price(0.5))
    expect(waitingFor).toBe('budget')
    await service.pass(31 * DAY_MS, DAY_MS / 2)
    await service.pass(5_000)
    expect(await service.tasks.get(id)).toMatchObject({ status: 'completed', attempts: 1 })
  })

  it('wait for the budget of their own user alone', async () => {
    const { service, spend, told } = await started({ BUDGET_USER_MONTHLY_USD: '1' })
    await using _ = service
    await spend(price(1))
    expect(await spend(price(1))).toMatchObject({ waitingFor: 'budget' })
    expect((await spend(price(1), BOB)).status).toBe('completed')
    expect(await told(ADMIN)).toEqual(['The monthly budget of $1.00 of user_ann is used up'])
  })

  it.each([
    ['warn', 'completed', ['Some costs are unknown']],
    ['stop', 'queued', ['The cost of tasks of test-agent is unknown', 'Some costs are unknown']],
  ])('of unknown cost: with %s the next one is %s', async (unknown, status, titles) => {
    const { service, spend, told } = await started({ BUDGET_MONTHLY_USD: '1', BUDGET_UNKNOWN: unknown })
    await using _ = service
    await spend(UNKNOWN_COST)
    expect((await spend(UNKNOWN_COST)).status).toBe(status)
    expect(await told(ADMIN)).toEqual(titles)
  })

  it('wait for what a run under way has spent, which goes on', async () => {
    const agent = createFakeAgent(HOLD)
    await using service = await startDomains({ adapters: [agent], env: { BUDGET_MONTHLY_USD: '1' } })
    const running = await service.run()
    agent.runs[0]?.spent(price(1))
    await service.pass(15_000)
    expect(await service.run()).toMatchObject({ waitingFor: 'budget' })
    agent.runs[0]?.finish()
    await turns()
    expect((await service.tasks.get(running.id)).status).toBe('completed')
  })

  it.each<[string, unknown]>([
    ['negative', { usd: -5, source: 'price' }],
    ['no number', { usd: Number.NaN, source: 'price' }],
    ['beyond all limits', { usd: 1e300, source: 'price' }],
    ['no cost at all', 'much'],
  ])('count a cost that is %s as unknown', async (_what, cost) => {
    const { service, spend } = await started({ BUDGET_MONTHLY_USD: '1', BUDGET_UNKNOWN: 'stop' })
    await using _ = service
    expect(await spend(cost as Cost)).toMatchObject({ status: 'completed', cost: UNKNOWN_COST })
    expect(await spend(price(0))).toMatchObject({ waitingFor: 'budget' })
  })
})
