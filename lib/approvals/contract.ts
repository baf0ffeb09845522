import * as z from 'zod'
import { idParams } from '../core/id-params.ts'
import { defineRoutes } from '../http/route.ts'
import { AllowedToolSchema, ApprovalSchema, DecisionSchema } from './schema.ts'

const params = idParams('apv')

export const approvalRoutes = defineRoutes({
  listApprovals: {
    method: 'GET',
    path: '/api/security/approvals',
    summary: 'List pending approvals',
    about:
      'Returns tool calls of your conversations and tasks that need approval, oldest first; admins see all tasks. At most 200 approvals, and about 3 MB.',
    access: 'session',
    response: z.object({ approvals: z.array(ApprovalSchema) }),
  },
  decideApproval: {
    method: 'POST',
    path: '/api/security/approvals/{id}',
    summary: 'Approve or deny a tool call',
    about:
      'The waiting run continues. `allow-always` also allows the tool for the rest of the conversation or task. A decision cannot be changed.',
    access: 'session',
    params,
    body: z.object({ decision: DecisionSchema }),
    response: z.object({ success: z.literal(true), approval: ApprovalSchema }),
  },
  listAllowedTools: {
    method: 'GET',
    path: '/api/security/allowed-tools',
    summary: 'List always-allowed tools',
    about:
      'Returns tools that are always allowed in your conversations and tasks, newest first, at most 200.',
    access: 'session',
    response: z.object({ allowedTools: z.array(AllowedToolSchema) }),
  },
  removeAllowedTool: {
    method: 'DELETE',
    path: '/api/security/allowed-tools/{id}',
    summary: 'Revoke an always-allowed tool',
    about: 'Later calls in the conversation or task need approval again.',
    access: 'session',
    params,
    response: z.object({ message: z.string() }),
  },
})
