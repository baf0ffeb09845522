import { openCloudPorts } from '../../lib/app/cloud-ports.ts'
import { createAuthContext } from '../../lib/composition/auth.ts'
import { createSecurity, type Security } from '../../lib/composition/security.ts'
import type { Config } from '../../lib/config/config.ts'
import { createCheckOwnConversation } from '../../lib/turns/conversations.ts'
import type { Functions } from './functions.ts'

/** More than a row keeps in itself. */
const LONG = 'word '.repeat(20_000)
const HOUR_MS = 3_600_000

type Call = (name: string, route: string, body?: unknown) => Promise<unknown>
type Listed = {
  approvals: { id: string; toolName: string; title: string }[]
  allowedTools: { id: string }[]
  entries: { id: string }[]
}

const request = (tool: string) => ({
  tool,
  risk: 'write' as const,
  mode: 'ask' as const,
  title: tool,
  userId: 'user_1',
  taskId: 'task_1',
  arguments: { content: LONG },
})

/** Approvals that expire: those of a task have no end by themselves. */
const expiring = (tool: string) => {
  const { taskId: _, ...rest } = request(tool)
  return [
    { ...request(tool), ttlMs: HOUR_MS / 6 },
    { ...rest, conversationId: 'conv_1' },
  ]
}
const askFor =
  (tool: string) =>
  async ({ toolSecurity }: Security) => {
    for (const one of expiring(tool)) await toolSecurity.approvals.ask(one)
  }

/** What tools do to storage where they run, at a time that `earlierMs` lies before now. */
const tools =
  (work: (security: Security) => Promise<unknown>, earlierMs = 0) =>
  async (config: Config): Promise<unknown> => {
    const ports = openCloudPorts(config)
    const clock = { ...ports.clock, now: () => ports.clock.now() - earlierMs }
    const auth = createAuthContext(ports, config)
    return work(
      createSecurity(auth, { ...ports, clock, checkOwnConversation: createCheckOwnConversation(ports) }),
    )
  }

const callsTools = async ({ toolSecurity, toolCalls }: Security) => {
  await toolSecurity.policy.current()
  for (let n = 0; n < 2; n++) await toolSecurity.countCall('user_1', 300)
  toolSecurity.onToolCall({
    callId: 'call_1',
    tool: 'write_file',
    arguments: { content: LONG },
    result: LONG,
    failed: false,
    decision: 'allowed',
    mode: 'full',
    userId: 'user_1',
    taskId: 'task_1',
    durationMs: 1,
  })
  await toolCalls.settled()
  for (const tool of ['write_file', 'edit_file', 'git']) await toolSecurity.approvals.ask(request(tool))
}

/** The calls of a conversation that the caller does not have. */
const listOfForeign = async ({ toolCalls }: Security) => {
  const query = { limit: 1, conversationId: 'conv_1' }
  const listed = await toolCalls.list({ userId: 'user_2', role: 'user' }, query).catch(() => undefined)
  if (listed !== undefined) throw new Error('The calls of a foreign conversation were listed')
}

/** Tools that are called and asked about in the worker; policy, record and decisions in the function of security. */
export const useSecurity = async ({ as, feed, invoke }: Functions, ask: Call): Promise<void> => {
  const call = async (route: string, body?: unknown) => (await ask('security', route, body)) as Listed
  await as('worker', tools(askFor('old'), HOUR_MS))
  await invoke('tick', {})
  // Of this one no tick hears before the call does.
  await as('worker', tools(askFor('late'), HOUR_MS))
  await as('worker', tools(askFor('late')))
  await as('worker', tools(callsTools))
  for (let n = 0; n < 2; n++) await call('PUT /api/security/policy', { auditAll: true })
  await call('GET /api/security/policy')
  const { approvals } = await call('GET /api/security/approvals')
  const decisions = { write_file: 'allow-always', edit_file: 'allow-once', git: 'deny' }
  for (const [tool, decision] of Object.entries(decisions))
    await call(`POST /api/security/approvals/${approvals.find(({ toolName }) => toolName === tool)?.id}`, {
      decision,
    })
  // The decisions reach the worker, where the calls are made.
  await feed('worker', 'ai-tasks')
  await as(
    'worker',
    tools(async ({ toolSecurity: { approvals: standing } }) => {
      const uses = await Promise.all(Object.keys(decisions).map((tool) => standing.use(request(tool))))
      const states = uses.map(({ state }) => state).join()
      if (states !== 'approved,approved,denied') throw new Error(`The worker heard ${states}`)
    }),
  )
  const { allowedTools } = await call('GET /api/security/allowed-tools')
  await call(`DELETE /api/security/allowed-tools/${allowedTools[0]?.id}`)
  const { entries } = await call('GET /api/security/audit')
  for (const query of ['?tool=git', '?userId=user_1', '?taskId=task_1'])
    await call(`GET /api/security/audit${query}`)
  await call(`GET /api/security/audit/${entries[0]?.id}`)
  await as('security', (config) => tools(listOfForeign)(config))
}

/**
 * A call that is decided on between two looks at its approval, as where a turn is about to wait, and one that is asked about
 * again after its time, before a tick.
 */
export const useApprovals = async (config: Config, ask: Call): Promise<void> => {
  const call = async (route: string, body?: unknown) => (await ask('security', route, body)) as Listed
  const decided = { ...request('edit_file'), title: 'decided' }
  await tools(({ toolSecurity }) => toolSecurity.approvals.ask(decided))(config)
  const { approvals } = await call('GET /api/security/approvals')
  const id = approvals.find(({ title }) => title === 'decided')?.id
  await call(`POST /api/security/approvals/${id}`, { decision: 'allow-once' })
  await tools(({ toolSecurity }) => toolSecurity.approvals.use(decided))(config)
  for (const earlierMs of [HOUR_MS, 0]) await tools(askFor('late_call'), earlierMs)(config)
}
