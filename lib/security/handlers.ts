import type { Handlers } from '../http/route.ts'
import type { securityRoutes } from './contract.ts'
import type { PolicyService } from './policy.ts'
import type { ToolCallAudit } from './tool-calls.ts'

type Needs = {
  policy: Pick<PolicyService, 'current' | 'change'>
  toolCalls: Pick<ToolCallAudit, 'list' | 'get'>
}

export const securityHandlers = ({ policy, toolCalls }: Needs): Handlers<typeof securityRoutes> => ({
  getPolicy: async () => ({ policy: await policy.current() }),
  changePolicy: async ({ body }, { principal }) => ({ policy: await policy.change(principal, body) }),
  listToolCalls: ({ query }, { principal }) => toolCalls.list(principal, query),
  getToolCall: async ({ params }, { principal }) => ({ entry: await toolCalls.get(principal, params.id) }),
})
