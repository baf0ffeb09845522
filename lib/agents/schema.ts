import * as z from 'zod'

export const AgentSchema = z.object({
  type: z.string().meta({ examples: ['coding-agent'] }),
  name: z.string(),
  description: z.string(),
  capabilities: z.array(z.string()),
  family: z
    .enum(['builtin', 'acp', 'command', 'module', 'runner'])
    .describe(
      'How it runs: in the service, as a program over ACP or by its command line, as a module, or `runner` where only runners have it',
    ),
  version: z.string().optional().describe('The version of its program, where that tells it'),
  canResume: z.boolean().describe('Whether an attempt that runs out of time is continued by another one'),
  providers: z
    .array(z.string().meta({ examples: ['anthropic'] }))
    .optional()
    .describe(
      'The providers of whose models it works with one; while all are held (`GET /api/holds`), its tasks wait',
    ),
  timeoutMs: z
    .number()
    .meta({ description: 'The time limit of an attempt, when its task sets none', examples: [3_600_000] }),
  maxCostUsd: z
    .number()
    .optional()
    .describe(
      'The most that the attempts of a task may cost together (`AGENT_MAX_COST_USD`), when its task sets no less',
    ),
  isDefault: z.boolean().describe('Whether it runs tasks that name no agent (`DEFAULT_AGENT`)'),
  configured: z
    .boolean()
    .describe(
      'Whether it has what it needs somewhere: its settings and its program in the service, or a runner in `runners`',
    ),
  install: z.string().optional().describe('What to run to have its program; absent where it is there'),
  missingSettings: z
    .array(z.string().meta({ examples: ['ANTHROPIC_API_KEY'] }))
    .optional()
    .describe('Settings of which one gives it a model to work with; absent where it has one'),
  healthy: z
    .boolean()
    .describe('By the check of the service for what it can run itself; true for what only runners can run'),
  health: z.object({
    latencyMs: z.number().optional(),
    message: z.string().optional(),
    lastChecked: z.iso
      .datetime()
      .describe('When it was checked: that of a program over ACP counts for five minutes'),
  }),
  inService: z
    .boolean()
    .describe('Whether the service can run its tasks itself: it is configured there, and `WORKER` is `on`'),
  runners: z
    .array(z.string().meta({ examples: ['build-1'] }))
    .describe('The runners that have it and take tasks'),
  lastActivity: z.iso.datetime().optional(),
  stats: z.object({
    completed: z.number(),
    failed: z.number(),
    avgDuration: z.number().describe('Milliseconds, without waits for approvals'),
  }),
})
export type Agent = z.output<typeof AgentSchema>
