import * as z from 'zod'

export const HoldSchema = z
  .object({
    id: z.string().meta({ examples: ['hold_01KF0Q8Y3V5W7X9Z'] }),
    provider: z.string().meta({ examples: ['anthropic'] }),
    reason: z.string().describe('What the provider said'),
    until: z.iso.datetime().describe('When one task is tried; the others follow once it was answered'),
    waiting: z.number().describe('The tasks that wait for it'),
  })
  .meta({ id: 'Hold' })
export type Hold = z.output<typeof HoldSchema>
