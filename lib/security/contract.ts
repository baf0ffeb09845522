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
  from: queryFrom.optional().describe('Inclusive'),
  to: queryUntil.optional(),
})

const policyAnswer = z.object({
  policy: PolicySchema,
  taskMode: SecurityModeSchema.describe('The mode of tasks that name none: the setting `tasks.securityMode`'),
})

export const securityRoutes = defineRoutes({
  getPolicy: {
    method: 'GET',
    path: '/api/security/policy',
    summary: 'Read what tools may do in this installation',
    about: 'Of conversations and tasks of all users.',
    access: 'session',
    response: policyAnswer,
  },
  changePolicy: {
    method: 'PUT',
    path: '/api/security/policy',
    summary: 'Change what tools may do; fields that are not sent stay unchanged',
    about: 'Applies to later calls.',
    access: 'admin',
    body: PolicySchema.partial().meta({ id: 'SecurityPolicyChange' }),
    response: policyAnswer,
  },
  listToolCalls: {
    method: 'GET',
    path: '/api/security/audit',
    summary: 'List tool calls, including denied ones, newest first; admins see all, others their own',
    about: 'Summaries of arguments and results, with the decision and its reason.',
    access: 'session',
    query: ListToolCallsQuery,
    response: z.object({ entries: z.array(ToolCallEntrySchema), ...pageAnswer }),
  },
  getToolCall: {
    method: 'GET',
    path: '/api/security/audit/{id}',
    summary: 'Read one tool call with its full arguments and result',
    about: 'Secrets are masked.',
    access: 'session',
    params: idParams('tca'),
    response: z.object({ entry: ToolCallEntrySchema }),
  },
})
