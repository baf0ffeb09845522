import * as z from 'zod'
import { queryFlag } from '../core/page.ts'
import { defineRoutes } from '../http/route.ts'
import { AgentSchema } from './schema.ts'

export const agentRoutes = defineRoutes({
  listAgents: {
    method: 'GET',
    path: '/api/agents',
    summary: 'List agents with their health and statistics',
    about:
      'Asks each agent, so it takes as long as the slowest. The handshake of a program counts for five minutes.',
    access: 'session',
    query: z.object({
      fresh: queryFlag.optional().describe('Checks also those whose last check still counts'),
    }),
    response: z.object({ agents: z.array(AgentSchema) }),
  },
  listAgentTypes: {
    method: 'GET',
    path: '/api/agents/types',
    summary: 'List agent types',
    about: 'The values of `assignedAgent` of a task.',
    access: 'session',
    response: z.object({
      types: z.array(z.string().meta({ examples: ['coding-agent'] })),
      names: z
        .record(z.string(), z.string())
        .meta({ description: 'The name of each type', examples: [{ 'coding-agent': 'Coding agent' }] }),
    }),
  },
})
