import * as z from 'zod'

export const AgentSchema = z.object({
  type: z.string().meta({ examples: ['coding-agent'] }),
  name: z.string(),
  description: z.string(),
  capabilities: z.array(z.string()),
  family: z
    .enum(['builtin', 'acp', 'command', 'module', 'runner'])
    .describe(
      'How the agent runs: `builtin` in the service, `acp` or `command` as a program, `module` as your own module, `runner` on runners only',
    ),
  version: z.string().optional().describe('Version of the program, if known'),
  canResume: z.boolean().describe('Whether another attempt continues an attempt that timed out'),
  providers: z
    .array(z.string().meta({ examples: ['anthropic'] }))
    .optional()
    .describe(
      'Model providers that the agent can use; while all are on hold (see `GET /api/holds`), its tasks wait',
    ),
  timeoutMs: z
    .number()
    .meta({ description: 'Default time limit of an attempt, in milliseconds', examples: [3_600_000] }),
  maxCostUsd: z
    .number()
    .optional()
    .describe(
      'Maximum total cost of a task, in US dollars (`AGENT_MAX_COST_USD`); a task can set a lower limit',
    ),
  isDefault: z.boolean().describe('Whether it is the default agent (`DEFAULT_AGENT`)'),
  configured: z
    .boolean()
    .describe(
      'Whether the agent can run: settings and program are present in the service, or on one of `runners`',
    ),
  install: z.string().optional().describe('Command that installs the program; absent if installed'),
  missingSettings: z
    .array(z.string().meta({ examples: ['ANTHROPIC_API_KEY'] }))
    .optional()
    .describe('Settings that give the agent a model, one of which is required; absent if one is set'),
  healthy: z.boolean().describe('Result of the health check; always true for agents that only runners have'),
  health: z.object({
    latencyMs: z.number().optional(),
    message: z.string().optional(),
    lastChecked: z.iso
      .datetime()
      .describe('Time of the check; for a program over ACP, valid for five minutes'),
  }),
  inService: z
    .boolean()
    .describe('Whether the service can run its tasks itself: configured there, and `WORKER` is `on`'),
  runners: z
    .array(z.string().meta({ examples: ['build-1'] }))
    .describe('Runners that have the agent and take tasks'),
  lastActivity: z.iso.datetime().optional(),
  stats: z.object({
    completed: z.number(),
    failed: z.number(),
    avgDuration: z.number().describe('Average run time without waits for approvals, in milliseconds'),
  }),
})
export type Agent = z.output<typeof AgentSchema>
