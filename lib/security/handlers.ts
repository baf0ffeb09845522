import type { SecurityMode } from '../core/security-mode.ts'
import type { Handlers } from '../http/route.ts'
import type { securityRoutes } from './contract.ts'
import type { PolicyService } from './policy.ts'
import type { Policy } from './schema.ts'
import type { ToolCallAudit } from './tool-calls.ts'

type Needs = {
  policy: Pick<PolicyService, 'current' | 'change'>
  toolCalls: Pick<ToolCallAudit, 'list' | 'get'>
  settings: { current: () => { tasks: { securityMode: SecurityMode } } }
}

export const securityHandlers = ({ policy, toolCalls, settings }: Needs): Handlers<typeof securityRoutes> => {
  const withTaskMode = (known: Policy) => ({
    policy: known,
    taskMode: settings.current().tasks.securityMode,
  })
  return {
    getPolicy: async () => withTaskMode(await policy.current()),
    changePolicy: async ({ body }, { principal }) => withTaskMode(await policy.change(principal, body)),
    listToolCalls: ({ query }, { principal }) => toolCalls.list(principal, query),
    getToolCall: async ({ params }, { principal }) => ({ entry: await toolCalls.get(principal, params.id) }),
  }
}
