import { describe, expect, it } from '@jest/globals'
import { type BudgetSettings, createBudgets, type Spent } from '../../lib/budgets/service.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'

const NONE: Spent = { usd: 0, unknown: 0, unknownByAgent: {} }
const OFF: BudgetSettings = { monthlyUsd: 0, userMonthlyUsd: 0, unknown: 'warn' }

/** Budgets over what was spent, by all (an empty name) or by a user. */
const made = (settings: Partial<BudgetSettings>, spent: Record<string, Partial<Spent>>) => {
  const told: string[] = []
  let asked = 0
  const present = { ...OFF, ...settings }
  const clock = createFakeClock()
  const budgets = createBudgets({
    settings: () => present,
    spent: async (month, user = '') => {
      asked += 1
      return { ...NONE, ...(month === '2026-01' && spent[user]) }
    },
    store: {
      commit: async (write: object) => {
        if ('insert' in write && 'row' in write) told.push((write.row as { id: string }).id)
        return { applied: true } as never
      },
    },
    clock,
    ids: { next: (kind) => `${kind}_1` },
    log: createFakeLog(),
  })
  const task = { createdBy: 'user_ann', agent: 'codex' }
  return { budgets, clock, present, told, asked: () => asked, held: () => budgets.holdingBack(task) }
}

describe('a monthly budget', () => {
  it.each<[what: string, Partial<BudgetSettings>, Record<string, Partial<Spent>>, waits: boolean]>([
    ['none is set', {}, { '': { usd: 1_000 } }, false],
    ['less was spent', { monthlyUsd: 50 }, { '': { usd: 49.99 } }, false],
    ['as much was spent', { monthlyUsd: 50 }, { '': { usd: 50 } }, true],
    ['more was spent', { monthlyUsd: 50 }, { '': { usd: 51 } }, true],
    ['the user spent less', { userMonthlyUsd: 5 }, { '': { usd: 90 }, user_ann: { usd: 4 } }, false],
    ['the user spent it', { userMonthlyUsd: 5 }, { user_ann: { usd: 5 } }, true],
    ['another user spent it', { userMonthlyUsd: 5 }, { user_bob: { usd: 5 } }, false],
    ['costs are unknown', { monthlyUsd: 50 }, { '': { unknown: 3, unknownByAgent: { codex: 3 } } }, false],
    [
      'costs of the agent are unknown, which stops',
      { monthlyUsd: 50, unknown: 'stop' },
      { '': { unknownByAgent: { codex: 1 } } },
      true,
    ],
    [
      'costs of another agent are, which stops',
      { monthlyUsd: 50, unknown: 'stop' },
      { '': { unknownByAgent: { other: 1 } } },
      false,
    ],
    [
      'unknown costs would stop, without a budget',
      { unknown: 'stop' },
      { '': { unknownByAgent: { codex: 1 } } },
      false,
    ],
  ])('when %s', async (_what, settings, spent, waits) => {
    const { held } = made(settings, spent)
    expect(await held()).toEqual(
      waits
        ? {
            reason: 'budget',
            until: '2026-02-01T00:00:00.000Z',
            message: expect.stringMatching(/is used up: .* in 2026-01$|is unknown/),
          }
        : undefined,
    )
  })

  it('reads nothing where none is set', async () => {
    const { held, asked } = made({}, {})
    await held()
    expect(asked()).toBe(0)
  })

  it('lets tasks go on in the next month, or when it is raised, and says that it may have', async () => {
    const { budgets, clock, present, held } = made({ monthlyUsd: 50 }, { '': { usd: 50 } })
    const seen = [budgets.version()]
    expect(await held()).toBeDefined()
    present.monthlyUsd = 60
    seen.push(budgets.version())
    expect(await held()).toBeUndefined()
    present.monthlyUsd = 50
    clock.advance(31 * 86_400_000)
    seen.push(budgets.version())
    expect(await held()).toBeUndefined()
    expect(new Set(seen).size).toBe(3)
  })

  it('is told once, of each amount and user', async () => {
    const { present, told, held } = made({ monthlyUsd: 50 }, { '': { usd: 100 }, user_ann: { usd: 100 } })
    await Promise.all([held(), held()])
    await held()
    present.monthlyUsd = 60
    await held()
    Object.assign(present, { monthlyUsd: 0, userMonthlyUsd: 7 })
    await held()
    expect([...new Set(told)]).toEqual([
      'budget_2026-01_50',
      'budget_2026-01_60',
      'budget_2026-01_user_ann_7',
    ])
  })
})
