import * as z from 'zod'
import { defineRoutes } from '../http/route.ts'
import { AgentSchema } from './schema.ts'

export const agentRoutes = defineRoutes({
  listAgents: {
    method: 'GET',
    path: '/api/agents',
    summary: 'List the agents with their health, checked now, and their statistics',
    access: 'session',
    response: z.object({ agents: z.array(AgentSchema) }),
  },
  listAgentTypes: {
    method: 'GET',
    path: '/api/agents/types',
    summary: 'List the types that a task can be assigned to',
    access: 'session',
    response: z.object({ types: z.array(z.string()) }),
  },
})
