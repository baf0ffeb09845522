import { createCodingAgent } from '../adapters/agents/coding/agent.ts'
import { loadAgents } from '../adapters/agents/load.ts'
import type { Publication } from '../adapters/agents/repository/publish.ts'
import { createCodeHost } from '../adapters/code-host/code-host.ts'
import { startDemoModel } from '../adapters/models/demo/server.ts'
import { createModels, type ModelNeeds } from '../adapters/models/models.ts'
import { createGit } from '../adapters/node/git.ts'
import { createProviderFetch } from '../adapters/node/provider-fetch.ts'
import { tracedFetch } from '../adapters/node/tracing.ts'
import { createWorkspaces } from '../adapters/node/workspace.ts'
import type { Security } from '../composition/security.ts'
import type { Work } from '../composition/work.ts'
import { badSetting, type Config } from '../config/config.ts'
import { errorMessage } from '../core/errors.ts'
import type { Masker } from '../core/masker.ts'
import { LOCAL_USER } from '../core/principal.ts'
import type { SecurityMode } from '../core/security-mode.ts'
import { providerApiUrl } from '../oauth/catalog.ts'
import type { AgentAdapter, AgentTask, Guidance, RunProgram } from '../ports/agent.ts'
import type { Breakers } from '../ports/breaker.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Models } from '../ports/model.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { Repositories } from '../ports/repositories.ts'
import type { RunLoop, Toolbox, ToolSession } from '../ports/tool.ts'
import type { Tracing } from '../ports/tracing.ts'
import type { PolicySource } from '../security/schema.ts'
import { CreateTaskSchema } from '../tasks/schema.ts'
import type { ToolCallRecord } from '../tools/audit.ts'
import type { Approvals } from '../tools/authorize.ts'
import type { SearchMemory, SearchWeb } from '../tools/builtin/search.ts'
import type { CreateTaskFor, FindTask } from '../tools/builtin/tasks.ts'
import { conversationTools, taskTools } from '../tools/catalog.ts'
import { createLoop } from '../tools/loop.ts'
import type { CountCall } from '../tools/rate.ts'
import { createToolRunner } from '../tools/runner.ts'
import { withModelSpans, withToolSpans } from '../tools/spans.ts'
import { openPrograms, type Programs } from './sandbox.ts'

type ToolSecurity = {
  policy: PolicySource
  approvals: Approvals
  countCall: CountCall
  onToolCall(record: ToolCallRecord): void
}

type Needs = {
  config: Config
  workspacesDir: string
  breakers: Breakers
  clock: Clock
  log: Log
  masker: Masker
  tracing: Tracing
  searchMemory: SearchMemory
  /** Guidance from memory for a task. Absent where no tasks run. */
  guideTask?: (task: AgentTask) => Promise<Guidance>
  searchWeb: SearchWeb
  createTask: CreateTaskFor
  findTask: FindTask
  outbound: Pick<Outbound, 'send'>
  security: ToolSecurity
  /** The port of the service, which programs of agents cannot reach. */
  port?: () => number | undefined
  repositories: Repositories
  /** The accounts of the code host that tasks run with. Absent where no tasks run. */
  codeHost?: Pick<Publication, 'accountFor' | 'isWanted'>
  isLocalMode: () => boolean
  /** The mode of tasks that set none, as the setting is at their start. Absent where no tasks run. */
  taskSecurityMode?: () => SecurityMode
}

/** The coding agent and the configured modules, with models, the loop, tools and workspaces of conversations. */
export const openAgents = async (needs: Needs) => {
  const { config } = needs
  const programs = await openPrograms({ ...needs, port: needs.port ?? (() => undefined) })
  const opened = await openModels(needs)
  const models = withModelSpans(opened.models, needs.tracing)
  const loop = createLoop({ models })
  const { openTools, openTaskTools } = toolOpeners(needs)
  const { adapter, workspaces } = codingAgent(needs, models, programs, { loop, openTools: openTaskTools })
  const adapters = await loadAgents(adapter, config)
  const runProgram: RunProgram = async (workspace, ...program) =>
    (await workspaces.open(workspace)).run(...program)
  const close = async () => {
    await opened.close()
    await programs.close()
  }
  return { adapters, runProgram, models, loop, openTools, workspaces, sandbox: programs.health, close }
}

const toolOpeners = ({ security, clock, masker, log, tracing, ...needs }: Needs) => {
  const shared = { ...security, clock, masker, log }
  const tools = conversationTools({ ...needs, clock })
  return {
    openTools: withToolSpans(createToolRunner({ ...shared, tools }), tracing),
    openTaskTools: withToolSpans(
      createToolRunner({ ...shared, tools: taskTools(needs.searchMemory) }),
      tracing,
    ),
  }
}

/** Models of the configured providers. With none, the demo model starts on loopback and answers instead. */
export const openModels = async (needs: Pick<Needs, 'config' | 'breakers' | 'clock' | 'log' | 'masker'>) => {
  const { config, breakers, clock, log, masker } = needs
  const settings = {
    providers: config.providers,
    fallbacks: config.FALLBACK_PROVIDERS,
    ...(config.DEFAULT_PROVIDER ? { default: config.DEFAULT_PROVIDER } : {}),
  }
  const guard = <T>(provider: string, call: () => Promise<T>) => breakers.of(`provider:${provider}`).run(call)
  const shared = { clock, log, masker, guard, fetch: tracedFetch }
  const real = openConfigured({ settings, ...shared })
  if (real.providers().some(({ configured }) => configured))
    return { models: real, close: async () => undefined }
  if (config.DEFAULT_PROVIDER) {
    throw badSetting(`DEFAULT_PROVIDER: ${config.DEFAULT_PROVIDER} is not configured; give it a key`)
  }
  if (config.SERVICE_MODE === 'pro' && config.DYNAMODB_ENDPOINT === undefined)
    throw badSetting(
      'ANTHROPIC_API_KEY: no model provider is configured, and a deployed service has no demo model',
    )
  const demo = await startDemoModel()
  const models = createModels({ settings: { ...settings, demo: { baseUrl: demo.baseUrl } }, ...shared })
  return { models, close: demo.close }
}

const openConfigured = (needs: ModelNeeds): Models => {
  try {
    return createModels(needs)
  } catch (thrown) {
    throw badSetting(errorMessage(thrown))
  }
}

const codingAgent = (
  needs: Needs,
  models: Models,
  { commands, owner }: Programs,
  run: { loop: RunLoop; openTools: (session: ToolSession) => Toolbox },
) => {
  const { config, workspacesDir, clock, repositories, codeHost, taskSecurityMode } = needs
  const git = createGit({ commands, caFile: config.GIT_SSL_CAINFO })
  const workspaces = createWorkspaces({ dir: workspacesDir, clock, commands, git, owner })
  const adapter: AgentAdapter = createCodingAgent({
    models,
    ...run,
    workspaces,
    git,
    clock,
    repositories,
    maxBudget: config.TASK_MAX_BUDGET || undefined,
    approvalTtlMs: config.APPROVAL_TTL_MS,
    guide: needs.guideTask,
    publication: codeHost && {
      ...codeHost,
      codeHost: createCodeHost({
        apiUrl: providerApiUrl('codehost', config.accounts.codehost),
        fetch: createProviderFetch(),
        clock,
      }),
      mask: needs.masker.text,
    },
    ...(taskSecurityMode && { securityMode: taskSecurityMode }),
    isLocalAdmin: (userId) => userId === LOCAL_USER && needs.isLocalMode(),
  })
  return { adapter, workspaces }
}

type Composed = Pick<Security, 'toolSecurity'> & Pick<Work, 'tasks'>

/** The verbs of domains that tools call. The domains are made after the tools, so each call asks for them. */
export const toolVerbs = (composed: () => Composed) => {
  const tools = () => composed().toolSecurity
  const security: ToolSecurity = {
    policy: { known: () => tools().policy.known(), current: () => tools().policy.current() },
    approvals: {
      ask: (request) => tools().approvals.ask(request),
      use: (request) => tools().approvals.use(request),
      waitState: (approvalId) => tools().approvals.waitState(approvalId),
    },
    onToolCall: (record) => tools().onToolCall(record),
    countCall: (userId, calls) => tools().countCall(userId, calls),
  }
  return {
    security,
    /** Acts for the user, without an admin's rights. */
    createTask: ((userId, { securityMode, ...task }) => {
      const body = CreateTaskSchema.parse({ ...task, metadata: { securityMode } })
      return composed().tasks.create({ userId, role: 'user' }, body)
    }) satisfies CreateTaskFor,
    findTask: (id: string) => composed().tasks.find(id),
  }
}
