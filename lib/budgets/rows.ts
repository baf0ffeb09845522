import { collection } from '../core/collection.ts'
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
