import * as z from 'zod'

export const HoldSchema = z
  .object({
    id: z.string().meta({ examples: ['hold_01KF0Q8Y3V5W7X9Z'] }),
    provider: z.string().meta({ examples: ['anthropic'] }),
    reason: z.string().describe('Message from the provider'),
    until: z.iso.datetime().describe('When one task is tried; the others follow once the provider responds'),
    waiting: z.number().describe('Number of waiting tasks'),
  })
  .meta({ id: 'Hold' })
export type Hold = z.output<typeof HoldSchema>
