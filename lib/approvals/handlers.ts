import type { Handlers } from '../http/route.ts'
import type { approvalRoutes } from './contract.ts'
import type { ApprovalService } from './service.ts'

type Needs = { approvals: Pick<ApprovalService, 'list' | 'decide' | 'listAllowed' | 'disallow'> }

export const approvalHandlers = ({ approvals }: Needs): Handlers<typeof approvalRoutes> => ({
  listApprovals: async (_input, { principal }) => ({ approvals: await approvals.list(principal) }),
  decideApproval: async ({ params, body }, { principal }) => ({
    success: true,
    approval: await approvals.decide(principal, params.id, body.decision),
  }),
  listAllowedTools: async (_input, { principal }) => ({
    allowedTools: await approvals.listAllowed(principal),
  }),
  removeAllowedTool: async ({ params }, { principal }) => {
    await approvals.disallow(principal, params.id)
    return { message: 'Permission revoked. The tool needs approval again' }
  },
})
