import type { SecurityMode } from '../core/security-mode.ts'
import type { Security } from '../join/security.ts'
import type { Work } from '../join/work.ts'
import { CreateTaskSchema } from '../tasks/schema.ts'
import type { ToolSecurity } from './agents.ts'

type Joined = Pick<Security, 'toolSecurity'> & Pick<Work, 'tasks'>

/** What tools do by way of the domains, which are there only after the tools are: asked for with each call. */
export const toolVerbs = (joined: () => Joined) => {
  const tools = () => joined().toolSecurity
  const security: ToolSecurity = {
    policy: { known: () => tools().policy.known(), current: () => tools().policy.current() },
    approvals: {
      ask: (request) => tools().approvals.ask(request),
      use: (request) => tools().approvals.use(request),
      isDecided: (approvalId) => tools().approvals.isDecided(approvalId),
    },
    onToolCall: (record) => tools().onToolCall(record),
    countCall: (userId, calls) => tools().countCall(userId, calls),
  }
  return {
    security,
    /** In the name of the user, without the rights of an admin. */
    createTask: (
      userId: string,
      { securityMode, ...task }: { title: string; prompt: string; securityMode: SecurityMode },
    ) =>
      joined().tasks.create(
        { userId, role: 'user' },
        CreateTaskSchema.parse({ ...task, metadata: { securityMode } }),
      ),
    findTask: (id: string) => joined().tasks.find(id),
  }
}
