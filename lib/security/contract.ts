import * as z from 'zod'
import { idParams } from '../core/id-params.ts'
import { pageAnswer, pageQuery, queryFrom, queryUntil } from '../core/page.ts'
import { defineRoutes } from '../http/route.ts'
import { PolicySchema, SecurityModeSchema, ToolCallEntrySchema } from './schema.ts'

const id = z.string().max(200)

export const ListToolCallsQuery = z.object({
  ...pageQuery,
  tool: id.optional(),
  decision: ToolCallEntrySchema.shape.decision.optional(),
  userId: id.optional(),
  conversationId: id.optional(),
  taskId: id.optional(),
  callId: id.optional(),
  from: queryFrom.optional().describe('At or after this time'),
  to: queryUntil.optional().describe('At or before this time'),
})

const policyAnswer = z.object({
  policy: PolicySchema,
  taskMode: SecurityModeSchema.describe('Default mode of tasks (setting `tasks.securityMode`)'),
})

export const securityRoutes = defineRoutes({
  getPolicy: {
    method: 'GET',
    path: '/api/security/policy',
    summary: 'Get the tool policy',
    about: 'The policy applies to the conversations and tasks of all users.',
    access: 'session',
    response: policyAnswer,
  },
  changePolicy: {
    method: 'PUT',
    path: '/api/security/policy',
    summary: 'Update the tool policy',
    about: 'Applies to later calls. Omitted fields stay unchanged.',
    access: 'admin',
    body: PolicySchema.partial().meta({ id: 'SecurityPolicyChange' }),
    response: policyAnswer,
  },
  listToolCalls: {
    method: 'GET',
    path: '/api/security/audit',
    summary: 'List tool calls',
    about:
      'Returns tool calls, including denied ones, newest first, with summaries of arguments and results. Admins see all calls, others their own.',
    access: 'session',
    query: ListToolCallsQuery,
    response: z.object({ entries: z.array(ToolCallEntrySchema), ...pageAnswer }),
  },
  getToolCall: {
    method: 'GET',
    path: '/api/security/audit/{id}',
    summary: 'Get a tool call',
    about: 'Includes the full arguments and result. Secrets are masked.',
    access: 'session',
    params: idParams('tca'),
    response: z.object({ entry: ToolCallEntrySchema }),
  },
})
