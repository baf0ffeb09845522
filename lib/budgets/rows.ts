import { collection } from '../core/collection.ts'
import { type Cost, microUsd } from '../core/cost.ts'
import { changedOnly, monthIncrements } from '../core/month-costs.ts'
import { announcement } from '../notifications/schema.ts'

/** What admins were told of the budgets of a month: each thing once. */
export type BudgetNotice = {
  id: string
  title: string
  message: string
  createdAt: string
  expiresAt: number
}

/** An audience that no user is: admins see the notifications of all. */
const ADMINS = 'admins'

export const budgetNotices = collection<BudgetNotice>({
  name: 'budgetNotices',
  key: 'id',
  indexes: {},
  expires: 'expiresAt',
  sends: ({ before, after }) => {
    if (before !== undefined || after === undefined) return []
    const { expiresAt: _, ...notice } = after
    return [announcement({ ...notice, id: `ntf_${after.id}`, type: 'budget_reached', audience: ADMINS })]
  },
})

/** What one answer of a model to a chat cost. It is counted when it is stored, and need not be kept. */
export type ChatCost = { id: string; userId: string; cost: Cost; at: string; expiresAt: number }

export const chatCosts = collection<ChatCost>({
  name: 'chatCosts',
  key: 'id',
  indexes: {},
  expires: 'expiresAt',
  counts: ({ before, after }) => {
    if (before !== undefined || after === undefined) return []
    const { userId, cost, at } = after
    const spent = microUsd(cost)
    const unknownChat = Number(cost.source === 'unknown')
    return changedOnly(monthIncrements(at, userId, { spent, chat: spent, unknownChat }))
  },
})
