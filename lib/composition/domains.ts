import type { Config } from '../config/config.ts'
import { LOCAL_USER } from '../core/principal.ts'
import { createInbox } from '../inbox/service.ts'
import { createWebSearch } from '../integrations/web-search.ts'
import { createLimitedCount } from '../limits/limited-count.ts'
import { createLive, LONGEST_IN_FUNCTION_MS } from '../live/service.ts'
import { createExpand } from '../memory/expand.ts'
import { createMemory } from '../memory/service.ts'
import { createModelKeys } from '../model-keys/service.ts'
import { makeReportWrites } from '../reporting/rows.ts'
import { SCHEDULE_COUNTER } from '../schedules/rows.ts'
import { createSchedules, MOST_SCHEDULES, tooManySchedules } from '../schedules/service.ts'
import { CreateTaskSchema } from '../tasks/schema.ts'
import { agentCalls } from '../tools/builtin/agent-calls.ts'
import type { CreateTaskFor } from '../tools/builtin/tasks.ts'
import { conversationTools, taskTools } from '../tools/catalog.ts'
import { createLoop } from '../tools/loop.ts'
import { createToolRunner } from '../tools/runner.ts'
import { withModelSpans, withToolSpans } from '../tools/spans.ts'
import type { Tool } from '../tools/tool.ts'
import { createCheckOwnConversation } from '../turns/conversations.ts'
import { createInbound } from '../webhooks/service.ts'
import { createConversing } from './conversations.ts'
import { disjoint } from './disjoint.ts'
import { createNotices } from './notices.ts'
import type { People } from './people.ts'
import type { AgentHost, Ports } from './ports.ts'
import { createRunners } from './runners.ts'
import { createSecurity } from './security.ts'
import { createWork } from './work.ts'

export type Domains = ReturnType<typeof createDomains>

/**
 * All domains, with those of people, over the ports of any mode. Only this folder passes verbs of one domain to another. Agents are opened once
 * the domains that they call are made, and before those that run them.
 */
export const createDomains = (people: People, ports: Ports, host: AgentHost, config: Config) => {
  const { tracing } = ports
  const { settings, authMode } = people
  const isShared = ports.processes === 'many'
  const needs = { ...ports, audit: people.audit.record }
  const models = withModelSpans(host.models, tracing)
  const checkOwnConversation = createCheckOwnConversation(ports)
  const security = createSecurity(people, { ...ports, checkOwnConversation })
  const expand = createExpand({ ...ports, models })
  const hasRealModel = () => models.providers().some(({ configured, demo }) => configured && !demo)
  const memory = createMemory({
    ...needs,
    // The demo model adds no words. A real one may come with a key that an admin stores.
    expand:
      config.MEMORY_EXPAND === 'on' && config.EMBEDDING_MODEL === undefined
        ? async (question) => (hasRealModel() ? expand(question) : undefined)
        : undefined,
    isMemoryShared: isShared,
    watching: ports.watchingMemory,
    checkOwnConversation,
  })
  const modelKeys = createModelKeys({ ...needs, models })
  const webSearch = createWebSearch({ ...needs, providers: ports.webSearchProviders })
  const loop = createLoop({ models })
  const toolRunner = (tools: readonly Tool[]) =>
    withToolSpans(createToolRunner({ ...ports, ...security.toolSecurity, tools }), tracing)
  const openTaskTools = toolRunner(taskTools(memory.recall))
  const ofRuns = {
    codeHost: people.codeHost,
    securityMode: () => settings.current().tasks.securityMode,
    isLocalAdmin: (userId: string) => userId === LOCAL_USER && authMode() === 'local',
  }
  const agents = host.openAgents({
    ...ofRuns,
    models,
    loop,
    openTools: openTaskTools,
    openPermissions: toolRunner(agentCalls),
    guide: memory.guide,
  })
  const { access } = people
  const shared = disjoint(ports, security, agents, { models, loop, memory, access, checkOwnConversation })
  const work = createWork(people, shared, config)
  const { tasks } = work
  /** Acts for the user, without an admin's rights. */
  const createTask: CreateTaskFor = (userId, { securityMode, ...task }) =>
    tasks.create({ userId, role: 'user' }, CreateTaskSchema.parse({ ...task, metadata: { securityMode } }))
  const openConversationTools = toolRunner(
    conversationTools({
      ...ports,
      searchMemory: memory.recall,
      searchWeb: webSearch.search,
      refuseSearch: webSearch.refuse,
      createTask,
      findTask: tasks.find,
    }),
  )
  const most = { id: SCHEDULE_COUNTER, most: MOST_SCHEDULES, tooMany: tooManySchedules }
  const conversing = createConversing(
    people,
    { ...disjoint(shared, work), openTools: openConversationTools },
    config,
  )
  const notices = createNotices(people, ports, work)
  const inbox = createInbox({
    ...ports,
    causes: {
      approvals: security.approvals.list,
      failures: notices.failures.pendingGroups,
      holds: work.holdVerbs.list,
      waitingForBudget: async () => (await work.counters.waiting()).budget ?? 0,
      withoutRunner: tasks.withoutRunner,
      webhooks: work.outboundWebhooks.failing,
      results: tasks.recentResults,
    },
  })
  return disjoint(people, security, work, conversing, notices, {
    memory,
    inbox,
    webSearch,
    modelKeys,
    runners: createRunners({
      ...ports,
      ...security,
      ...work,
      ...ofRuns,
      memory,
      leaseMs: config.TASK_LEASE_MS,
    }),
    live: createLive({ ...ports, ...(isShared ? { longestMs: LONGEST_IN_FUNCTION_MS } : {}) }),
    schedules: createSchedules({ ...needs, tasks, limit: createLimitedCount({ ...ports, ...most }) }),
    inbound: createInbound({
      ...needs,
      tasks,
      makeReportWrites,
      cancelsClosed: () => settings.current().webhooks.cancelClosed,
      labels: { task: config.AI_TASK_LABEL, review: config.AI_REVIEW_LABEL },
      secrets: config.inbound,
    }),
  })
}
