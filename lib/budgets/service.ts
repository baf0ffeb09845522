import { dollarText } from '../core/cost-text.ts'
import { errorMessage } from '../core/errors.ts'
import { iso, utcMonth } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import type { QueuedWait, TaskRow } from '../tasks/schema.ts'
import { type BudgetNotice, budgetNotices } from './rows.ts'

/** What tasks of a month have cost: dollars, and how many of them cost an unknown sum. */
export type Spent = { usd: number; unknown: number; unknownByAgent: Readonly<Record<string, number>> }

/** Whose task it is, and the agent that runs it. */
type Spender = Pick<TaskRow, 'createdBy' | 'agent' | 'countedAs'>

/** The monthly budgets in dollars; 0 is none. */
export type BudgetSettings = { monthlyUsd: number; userMonthlyUsd: number; unknown: 'warn' | 'stop' }

type Needs = {
  settings: () => BudgetSettings
  /** What was spent in a month, `2026-01`: by all, or by a user. */
  spent: (month: string, user?: string) => Promise<Spent>
  store: Pick<Store, 'commit'>
  clock: Pick<Clock, 'now'>
  log: Pick<Log, 'warn'>
}

/** How long it is known that admins were told. */
const KEEP_MS = 400 * 86_400_000

type Reached = { id: string; title: string; message: string }

/** The first moment of the month after that of a time, in UTC. */
const nextMonth = (now: number): string => {
  const at = new Date(now)
  return iso(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1))
}

/** The monthly budgets of the installation and of each user: at a budget no new run starts until the next month, or a higher budget. */
export const createBudgets = ({ settings, spent, store, clock, log }: Needs) => {
  const noticed = new Set<string>()

  /** Tells admins once. A failure does not hold the task up: the next task tells. */
  const notifyAdmins = async ({ id, title, message }: Reached): Promise<void> => {
    if (noticed.has(id)) return
    const now = clock.now()
    const row = { id, title, message, createdAt: iso(now), expiresAt: now + KEEP_MS }
    try {
      await store.commit<BudgetNotice>({ insert: budgetNotices, row })
      noticed.add(id)
    } catch (thrown) {
      log.warn({ reason: errorMessage(thrown) }, 'admins were not told of a budget')
    }
  }

  const warnOfUnknown = (month: string): Promise<void> =>
    notifyAdmins({
      id: `budget_unknown_${month}`,
      title: 'Costs are unknown',
      message: `Tasks of ${month} used models without a known price. They count nothing toward the budget.`,
    })

  const usedUp = (id: string, budget: string, month: string, { usd }: Spent): Reached => {
    const title = `${budget} is used up`
    return { id: `budget_${month}_${id}`, title, message: `${title}: ${dollarText(usd)} in ${month}` }
  }

  const stopped = (month: string, agent: string): Reached => {
    const title = `Tasks of ${agent} cost an unknown sum`
    const message = `${title}, and the setting budget.unknown stops those`
    return { id: `budget_stopped_${month}_${agent}`, title, message }
  }

  /** The first budget that a task has reached. */
  const reachedBy = async ({ createdBy, agent, countedAs = agent }: Spender, month: string) => {
    const { monthlyUsd, userMonthlyUsd, unknown } = settings()
    const all = await spent(month)
    if (all.unknown > 0) await warnOfUnknown(month)
    if (monthlyUsd > 0 && all.usd >= monthlyUsd)
      return usedUp(`${monthlyUsd}`, `The monthly budget of ${dollarText(monthlyUsd)}`, month, all)
    if (unknown === 'stop' && all.unknownByAgent[countedAs]) return stopped(month, agent)
    if (userMonthlyUsd === 0) return undefined
    const own = await spent(month, createdBy)
    if (own.usd < userMonthlyUsd) return undefined
    const budget = `The monthly budget of ${dollarText(userMonthlyUsd)} of ${createdBy}`
    return usedUp(`${createdBy}_${userMonthlyUsd}`, budget, month, own)
  }

  const isSet = (): boolean => settings().monthlyUsd > 0 || settings().userMonthlyUsd > 0

  /** The budget for which a task waits; undefined when it may start. */
  const holdingBack = async (task: Spender): Promise<QueuedWait | undefined> => {
    if (!isSet()) return undefined
    const now = clock.now()
    const reached = await reachedBy(task, utcMonth(iso(now)))
    if (reached === undefined) return undefined
    await notifyAdmins(reached)
    const until = nextMonth(now)
    return { reason: 'budget', until, message: `${reached.message}. It waits until ${until}` }
  }

  return {
    isSet,
    holdingBack,
    /** Changes whenever tasks may start that waited for a budget. */
    version: (): string => JSON.stringify([utcMonth(iso(clock.now())), settings()]),
  }
}
