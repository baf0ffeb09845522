import * as z from 'zod'
import { queryFlag } from '../core/page.ts'
import { defineRoutes } from '../http/route.ts'
import { AgentSchema } from './schema.ts'

export const agentRoutes = defineRoutes({
  listAgents: {
    method: 'GET',
    path: '/api/agents',
    summary: 'List agents',
    about:
      'Includes health and statistics. Checks each agent on request, so it takes as long as the slowest. For a program over ACP, a check is reused for five minutes.',
    access: 'session',
    query: z.object({
      fresh: queryFlag.optional().describe('Check all agents again, even if the last check is still valid'),
    }),
    response: z.object({ agents: z.array(AgentSchema) }),
  },
  listAgentTypes: {
    method: 'GET',
    path: '/api/agents/types',
    summary: 'List agent types',
    about: 'Returns the valid values for `assignedAgent` of a task.',
    access: 'session',
    response: z.object({
      types: z.array(z.string().meta({ examples: ['coding-agent'] })),
      names: z
        .record(z.string(), z.string())
        .meta({ description: 'Name of each type', examples: [{ 'coding-agent': 'Coding agent' }] }),
    }),
  },
})
