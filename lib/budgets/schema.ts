import * as z from 'zod'

export const OwnMonthSchema = z
  .object({
    costUsd: z.number().describe('Cost of tasks and chats, in US dollars'),
    budgetUsd: z
      .number()
      .optional()
      .describe('Monthly budget, in US dollars (`budget.userMonthlyUsd`); absent if 0'),
  })
  .describe('Spending of the caller this month')
export type OwnMonth = z.output<typeof OwnMonthSchema>
