import * as z from 'zod'

export const OwnMonthSchema = z
  .object({
    costUsd: z.number().describe('US dollars: of their tasks and chats'),
    budgetUsd: z.number().optional().describe('`budget.userMonthlyUsd`; absent where it is 0'),
  })
  .describe('What the caller has spent in the month')
export type OwnMonth = z.output<typeof OwnMonthSchema>
