import * as z from 'zod'
import { pageAnswer, pageQuery, queryFrom, queryUntil } from '../core/page.ts'
import { defineRoutes } from '../http/route.ts'
import { PolicySchema, ToolCallEntrySchema } from './schema.ts'

const id = z.string().max(200)

export const ListToolCallsQuery = z.object({
  ...pageQuery,
  tool: id.optional(),
  decision: ToolCallEntrySchema.shape.decision.optional(),
  userId: id.optional(),
  conversationId: id.optional(),
  taskId: id.optional(),
  callId: id.optional(),
  from: queryFrom.optional(),
  to: queryUntil.optional(),
})

export const securityRoutes = defineRoutes({
  getPolicy: {
    method: 'GET',
    path: '/api/security/policy',
    summary: 'Read what tools may do in this installation',
    access: 'session',
    response: z.object({ policy: PolicySchema }),
  },
  changePolicy: {
    method: 'PUT',
    path: '/api/security/policy',
    summary: 'Change what tools may do; what is left out stays as it is',
    access: 'admin',
    body: PolicySchema.partial().meta({ id: 'SecurityPolicyChange' }),
    response: z.object({ policy: PolicySchema }),
  },
  listToolCalls: {
    method: 'GET',
    path: '/api/security/audit',
    summary: 'List tool calls, refused ones included, newest first; admins see all, others their own',
    access: 'session',
    query: ListToolCallsQuery,
    response: z.object({ entries: z.array(ToolCallEntrySchema), ...pageAnswer }),
  },
  getToolCall: {
    method: 'GET',
    path: '/api/security/audit/{id}',
    summary: 'Read one tool call with its whole arguments and result',
    access: 'session',
    params: z.object({ id: z.string().min(1).max(200) }),
    response: z.object({ entry: ToolCallEntrySchema }),
  },
})
