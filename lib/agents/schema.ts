import * as z from 'zod'

/** An execution backend as the API shows it. `avgDuration` is in milliseconds. */
export const AgentSchema = z.object({
  type: z.string(),
  name: z.string(),
  description: z.string(),
  capabilities: z.array(z.string()),
  canResume: z.boolean(),
  configured: z.boolean(),
  healthy: z.boolean(),
  health: z.object({
    latencyMs: z.number().optional(),
    message: z.string().optional(),
    lastChecked: z.iso.datetime(),
  }),
  lastActivity: z.iso.datetime().optional(),
  stats: z.object({ completed: z.number(), failed: z.number(), avgDuration: z.number() }),
})
export type Agent = z.output<typeof AgentSchema>
