import * as z from 'zod'
import { idParams } from '../core/id-params.ts'
import { defineRoutes } from '../http/route.ts'
import { AllowedToolSchema, ApprovalSchema, DecisionSchema } from './schema.ts'

const params = idParams('apv')

export const approvalRoutes = defineRoutes({
  listApprovals: {
    method: 'GET',
    path: '/api/security/approvals',
    summary: 'List the tool calls that need your approval, oldest first; at most 200, and about 3 MB',
    about: 'Your conversations and tasks; admins see all tasks.',
    access: 'session',
    response: z.object({ approvals: z.array(ApprovalSchema) }),
  },
  decideApproval: {
    method: 'POST',
    path: '/api/security/approvals/{id}',
    summary: 'Approve or deny a tool call; the run that waits for it continues',
    about:
      '`allow-always` allows the tool for the rest of this conversation or task. A decision cannot be changed.',
    access: 'session',
    params,
    body: z.object({ decision: DecisionSchema }),
    response: z.object({ success: z.literal(true), approval: ApprovalSchema }),
  },
  listAllowedTools: {
    method: 'GET',
    path: '/api/security/allowed-tools',
    summary:
      'List the tools that are always allowed in your conversations and tasks, newest first; at most 200',
    access: 'session',
    response: z.object({ allowedTools: z.array(AllowedToolSchema) }),
  },
  removeAllowedTool: {
    method: 'DELETE',
    path: '/api/security/allowed-tools/{id}',
    summary: 'Revoke the permission of a tool in its conversation or task',
    about: 'Later calls wait for a decision.',
    access: 'session',
    params,
    response: z.object({ message: z.string() }),
  },
})
