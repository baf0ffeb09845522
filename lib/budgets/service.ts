import type { Cost } from '../core/cost.ts'
import { dollarText } from '../core/cost-text.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { iso, utcMonth } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import type { QueuedWait, TaskRow } from '../tasks/schema.ts'
import { type BudgetNotice, budgetNotices, type ChatCost, chatCosts } from './rows.ts'
import type { OwnMonth } from './schema.ts'

/** What tasks and chats of a month have cost: dollars, how many cost an unknown sum, and how many tasks of each agent did. */
export type Spent = { usd: number; unknown: number; unknownByAgent: Readonly<Record<string, number>> }

/** Whose task or chat it is, and the agent that runs a task. */
type Spender = Pick<TaskRow, 'createdBy' | 'countedAs'> & { agent?: string }

/** The monthly budgets in dollars; 0 is none. */
export type BudgetSettings = { monthlyUsd: number; userMonthlyUsd: number; unknown: 'warn' | 'stop' }

type Needs = {
  settings: () => BudgetSettings
  /** What was spent in a month, `2026-01`: by all, or by a user. */
  spent: (month: string, user?: string) => Promise<Spent>
  store: Pick<Store, 'commit'>
  clock: Pick<Clock, 'now'>
  ids: Pick<Ids, 'next'>
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

/** The `Retry-After` of an answer is a day at most. */
const LONGEST_RETRY_MS = 86_400_000
/** A cost is counted when it is stored; it stays for a day, in which storage may be asked what a counter was made of. */
const CHAT_COST_KEPT_MS = 86_400_000

/**
 * The monthly budgets of the installation and of each user: at a budget no new run of a task and no new turn of a chat
 * starts until the next month, or a higher budget.
 */
export const createBudgets = ({ settings, spent, store, clock, ids, log }: Needs) => {
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
      title: 'Some costs are unknown',
      message: `Tasks or chats in ${month} used models without a known price. They do not count toward the budget.`,
    })

  const usedUp = (id: string, budget: string, month: string, { usd }: Spent): Reached => {
    const title = `${budget} is used up`
    return { id: `budget_${month}_${id}`, title, message: `${title}: ${dollarText(usd)} in ${month}` }
  }

  const stopped = (month: string, agent: string): Reached => {
    const title = `The cost of tasks of ${agent} is unknown`
    const message = `${title}, and runs of unknown cost are set to wait`
    return { id: `budget_stopped_${month}_${agent}`, title, message }
  }

  /** The first budget that a task or chat has reached. */
  const reachedBy = async ({ createdBy, agent, countedAs = agent }: Spender, month: string) => {
    const { monthlyUsd, userMonthlyUsd, unknown } = settings()
    const all = await spent(month)
    if (all.unknown > 0) await warnOfUnknown(month)
    if (monthlyUsd > 0 && all.usd >= monthlyUsd)
      return usedUp(`${monthlyUsd}`, `The monthly budget of ${dollarText(monthlyUsd)}`, month, all)
    if (agent && countedAs && unknown === 'stop' && all.unknownByAgent[countedAs])
      return stopped(month, agent)
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
    return { reason: 'budget', until, message: reached.message }
  }

  /** Throws Problem `rate_limited` `budget_reached` for a new turn of a chat at a budget. */
  const refuseChat = async (userId: string): Promise<void> => {
    if (!isSet()) return
    const now = clock.now()
    const reached = await reachedBy({ createdBy: userId }, utcMonth(iso(now)))
    if (reached === undefined) return
    await notifyAdmins(reached)
    const until = nextMonth(now)
    const message = `${reached.message}. Chat works again at ${until}, or when an admin raises the budget`
    const retryAfterMs = Math.min(LONGEST_RETRY_MS, Date.parse(until) - now)
    throw new Problem('rate_limited', 'budget_reached', message, { retryAfterMs })
  }

  /** Counts what an answer of a chat cost. Never rejects: the answer was given. */
  const countChat = async (userId: string, cost: Cost): Promise<void> => {
    if (cost.usd === 0) return
    const now = clock.now()
    const row = { id: ids.next('cost'), userId, cost, at: iso(now), expiresAt: now + CHAT_COST_KEPT_MS }
    try {
      await store.commit<ChatCost>({ insert: chatCosts, row })
    } catch (thrown) {
      log.warn({ userId, reason: errorMessage(thrown) }, 'the cost of a chat was not counted')
    }
  }

  return {
    isSet,
    refuseChat,
    countChat,
    /** What a user has spent in the present month, and their budget. */
    readOwnMonth: async ({ userId }: Pick<Principal, 'userId'>): Promise<OwnMonth> => {
      const { usd } = await spent(utcMonth(iso(clock.now())), userId)
      const { userMonthlyUsd } = settings()
      return { costUsd: usd, ...(userMonthlyUsd > 0 && { budgetUsd: userMonthlyUsd }) }
    },
    holdingBack,
    /** Changes whenever tasks may start that waited for a budget. */
    version: (): string => JSON.stringify([utcMonth(iso(clock.now())), settings()]),
  }
}
