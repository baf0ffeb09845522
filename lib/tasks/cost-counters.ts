import { type Change, type Increment, readCounter } from '../core/collection.ts'
import { dollars, microUsd } from '../core/cost.ts'
import { cutText } from '../core/cut-text.ts'
import { definedFields } from '../core/defined-fields.ts'
import { changedOnly, monthCounter, monthIncrements } from '../core/month-costs.ts'
import { iso, utcDay } from '../core/time.ts'
import type { Counters, Store } from '../ports/store.ts'
import { DAILY_COUNTERS, TASK_COUNTERS, under } from './counters.ts'
import type { CountedTask, TaskRow } from './schema.ts'

/** One member for each user, and for each repository, whose tasks have a cost. */
const COSTS_BY_USER = 'tasks.costs.users'
const COSTS_BY_REPOSITORY = 'tasks.costs.repositories'

/** A longer name is cut, since storage bounds the names of members. */
const LONGEST_REPOSITORY = 200

/**
 * What a write of a task's cost sets. Counters see no long texts, so it has the name of the repository beside it.
 */
export const costFields = ({
  cost,
  repository,
}: Pick<TaskRow, 'cost' | 'repository'>): Pick<TaskRow, 'cost' | 'costRepository'> =>
  cost === undefined
    ? {}
    : { cost, ...definedFields({ costRepository: repository && cutText(repository, LONGEST_REPOSITORY) }) }

/** When an amount was spent. The renewal of a lease changes no other time than its end, which is moments ahead. */
const spentAt = ({ completedAt, leaseExpiresAt, updatedAt }: CountedTask): string =>
  completedAt ?? (leaseExpiresAt === undefined ? updatedAt : iso(leaseExpiresAt))

/**
 * The increments of a change of a task's cost, in millionths of a dollar. Rows tell what was spent in all (`microUsd`,
 * `unknownCost`), but not when (`spent`, `unknown`).
 */
export const costIncrements = ({
  before,
  after,
}: Pick<Change<CountedTask>, 'before' | 'after'>): Increment[] => {
  if (after?.cost === undefined) return []
  const spent = microUsd(after.cost) - microUsd(before?.cost)
  const unknown = Number(after.cost.source === 'unknown') - Number(before?.cost?.source === 'unknown')
  const { createdBy, costRepository, agent: own, countedAs: agent = own } = after
  const at = spentAt(after)
  const increments: Increment[] = [
    { ...TASK_COUNTERS, add: { microUsd: spent, [`microUsd:${agent}`]: spent, unknownCost: unknown } },
    { counter: DAILY_COUNTERS, member: utcDay(at), add: { spent } },
    ...monthIncrements(at, createdBy, {
      spent,
      [`spent:${agent}`]: spent,
      unknown,
      [`unknown:${agent}`]: unknown,
    }),
    { counter: COSTS_BY_USER, member: createdBy, add: { microUsd: spent } },
  ]
  if (costRepository)
    increments.push({ counter: COSTS_BY_REPOSITORY, member: costRepository, add: { microUsd: spent } })
  return changedOnly(increments)
}

/** Whether rows do not tell a counter of `costIncrements`. */
export const isOfTime = (name: string): boolean => /^(spent|unknown)(:|$)/.test(name)

/** The most names of users and of repositories in an answer. */
const MOST_NAMES = 100
/** What all further names cost together. */
const OTHER_NAMES = 'other'

/** The dollars of each name, the highest first. */
const highestCosts = (members: Readonly<Record<string, Counters>>): Record<string, number> => {
  const costs = Object.entries(members)
    .map(([name, { microUsd = 0 }]) => [name, microUsd] as const)
    .sort(([, a], [, b]) => b - a)
  const others = costs.slice(MOST_NAMES).reduce((sum, [, cost]) => sum + cost, 0)
  const named = costs.slice(0, MOST_NAMES)
  return Object.fromEntries(
    (others > 0 ? [...named, [OTHER_NAMES, others] as const] : named).map(([name, cost]) => [
      name,
      dollars(cost),
    ]),
  )
}

/** What all tasks have cost, by user and by repository. */
export const readCosts = async (store: Pick<Store, 'counters'>) => {
  const [users, repositories] = await Promise.all([
    store.counters(COSTS_BY_USER),
    store.counters(COSTS_BY_REPOSITORY),
  ])
  return { costByUser: highestCosts(users), costByRepository: highestCosts(repositories) }
}

/** What tasks and chats have cost in a month, `2026-01`; of tasks also by agent in millionths of a dollar. */
export const readMonth = async (store: Pick<Store, 'counters'>, month: string) => {
  const counters = await readCounter(store, monthCounter(month))
  return {
    month,
    costUsd: dollars(counters.spent ?? 0),
    chatCostUsd: dollars(counters.chat ?? 0),
    unknownCostTasks: counters.unknown ?? 0,
    microUsdByAgent: under(counters, 'spent'),
  }
}

/** What tasks and chats have cost in a month, `2026-01`: all of them, or those of a user. */
export const readSpent = async (store: Pick<Store, 'counters'>, month: string, user?: string) => {
  const counters = await readCounter(store, monthCounter(month, user))
  return {
    usd: dollars(counters.spent ?? 0),
    /** How many tasks and answers of chats cost an unknown sum, and how many tasks of each agent. */
    unknown: (counters.unknown ?? 0) + (counters.unknownChat ?? 0),
    unknownByAgent: under(counters, 'unknown'),
  }
}
