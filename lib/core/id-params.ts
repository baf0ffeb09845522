import * as z from 'zod'

export const idParams = (prefix: string) =>
  z.object({
    id: z
      .string()
      .min(1)
      .max(200)
      .meta({ examples: [`${prefix}_01KF0Q8Y3V5W7X9Z`] }),
  })
