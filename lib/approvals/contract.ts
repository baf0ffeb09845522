import * as z from 'zod'
import { defineRoutes } from '../http/route.ts'
import { ApprovalSchema, DecisionSchema } from './schema.ts'

export const approvalRoutes = defineRoutes({
  listApprovals: {
    method: 'GET',
    path: '/api/security/approvals',
    summary: 'List the tool calls that wait for your approval, the oldest first; 200 at most',
    access: 'session',
    response: z.object({ approvals: z.array(ApprovalSchema) }),
  },
  decideApproval: {
    method: 'POST',
    path: '/api/security/approvals/{id}',
    summary: 'Approve or deny a tool call; what waits for it goes on',
    access: 'session',
    params: z.object({ id: z.string().min(1).max(200) }),
    body: z.object({ decision: DecisionSchema }),
    response: z.object({ success: z.literal(true), approval: ApprovalSchema }),
  },
})
