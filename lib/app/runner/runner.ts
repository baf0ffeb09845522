import * as path from 'node:path'
import { logStrayErrors } from '../../adapters/agents/stray-errors.ts'
import { createClock } from '../../adapters/node/clock.ts'
import { createIds } from '../../adapters/node/ids.ts'
import { createLog, isOnTerminal, turnOutput } from '../../adapters/node/log.ts'
import { sweepWorkspaces } from '../../adapters/node/workspace-sweep.ts'
import type { Config } from '../../config/config.ts'
import { createAttemptLimit } from '../../core/attempt-limit.ts'
import { createCostLimit } from '../../core/cost-limit.ts'
import { definedFields } from '../../core/defined-fields.ts'
import { createMasker } from '../../core/masker.ts'
import { oneLine } from '../../core/shown-text.ts'
import { noStoredKeys } from '../../model-keys/stored-keys.ts'
import type { AgentAdapter } from '../../ports/agent.ts'
import { noProviderLimits } from '../../ports/provider-limits.ts'
import { taskOfWorkspace } from '../../ports/workspace.ts'
import type { RunnerSettings } from '../../runners/schema.ts'
import { toThreadId } from '../../tasks/schema.ts'
import { agentCalls } from '../../tools/builtin/agent-calls.ts'
import { taskTools } from '../../tools/catalog.ts'
import { createLoop } from '../../tools/loop.ts'
import { createCallRate } from '../../tools/rate.ts'
import { createToolRunner } from '../../tools/runner.ts'
import type { Tool } from '../../tools/tool.ts'
import { createActiveRuns } from '../../worker/active.ts'
import { every } from '../../worker/beat.ts'
import { createWorker } from '../../worker/worker.ts'
import { openAgentHost } from '../agents.ts'
import { openOutside } from '../outside.ts'
import { createClaimFacts } from './claim-facts.ts'
import type { ClaimLink } from './claim-link.ts'
import { connectRunner, createPersist } from './connection.ts'
import { createRunnerLoop } from './loop.ts'
import { openOutcomes } from './outcomes.ts'
import { createRemoteRun, toLeased } from './remote-run.ts'
import { createServiceClock } from './service-clock.ts'
import { createRunnerHealth, openStatusPage } from './status-page.ts'

const SWEEP_EVERY_MS = 600_000

/**
 * The worker of a service as a program of its own: it makes the same runs, over a lease that the API of the service gives.
 * Throws Problem `bad_setting` for settings with which its agents cannot be opened.
 */
export const openRunner = async (given: Config, settings: RunnerSettings) => {
  // Its tasks are those of all users of the service: without isolation its programs are refused, unless its settings want it.
  const config = { ...given, DATA_DIR: path.join(settings.folder, 'state'), AUTH_MODE: 'cloud' as const }
  const { clock, hear } = createServiceClock(createClock())
  const masker = createMasker([...config.secrets, settings.token])
  const log = createLog({ level: config.LOG_LEVEL, masker, to: turnOutput(), onTerminal: isOnTerminal() })
  const endStrayErrors = logStrayErrors(log)
  const ids = createIds({ clock })
  const outside = openOutside(config, { clock, log })
  const outcomes = openOutcomes(path.join(config.DATA_DIR, 'outcomes'), log)
  const workspacesDir = config.WORKSPACES_DIR ?? path.join(settings.folder, 'workspaces')
  const health = createRunnerHealth(clock)
  const ending = new AbortController()
  const ended = ending.signal
  const client = connectRunner(settings.url, settings.token, { onAnswer: health.noteAnswer, ended })
  const persist = createPersist({ clock, log, random: outside.random, ended })
  const links = new Map<string, ClaimLink>()
  const needs = { ...outside, clock, ids, log, masker }
  const remote = createRemoteRun({ ...needs, client, hear, runnerId: () => loop.id(), links })
  const host = await openAgentHost({
    ...needs,
    limits: noProviderLimits,
    config,
    workspacesDir,
    // The keys that admins store with the service stay there: a runner has its own.
    modelKeys: noStoredKeys,
    // A runner without a key would take tasks from those that have one, and answer them with the script of the demo.
    hasDemoModel: false,
  })
  const toolRunner = (tools: readonly Tool[]) =>
    createToolRunner({ ...needs, ...remote, countCall: createCallRate(clock), tools })
  const { accountFor, isWanted, securityMode, isLocalAdmin } = createClaimFacts(links)
  const agents = host.openAgents({
    models: host.models,
    loop: createLoop({ models: host.models }),
    openTools: toolRunner(taskTools(remote.recall)),
    openPermissions: toolRunner(agentCalls),
    guide: remote.guide,
    codeHost: { accountFor, isWanted },
    securityMode,
    isLocalAdmin,
  })
  const active = createActiveRuns()
  const target = ({ type, family }: Pick<AgentAdapter, 'type' | 'family'>) =>
    family === 'builtin' ? host.models.resolve({}) : { provider: type, model: type }
  const find = async (type: string) => (await agents.adapters()).find((agent) => agent.type === type)
  const worker = createWorker({
    ...needs,
    ...agents,
    claim: async ({ taskId }) => {
      const claim = links.get(taskId)?.claim
      return claim && toLeased(claim)
    },
    finish: remote.finish,
    lease: remote.lease,
    agent: find,
    active,
    place: async ({ id }) => {
      const { workspace, earlier } = (links.get(id) as ClaimLink).claim
      return { workspace, ...(earlier !== undefined && { earlier: earlier as never }) }
    },
    mostRuns: settings.concurrency,
    openEvents: remote.openEvents(target),
    attemptLimit: createAttemptLimit({ installationMs: config.POOL_TIMEOUT_MS }),
    costLimit: createCostLimit(config.AGENT_MAX_COST_USD),
  })
  let endHeartbeat: ReturnType<typeof every> | undefined
  const loop = createRunnerLoop({
    settings,
    client,
    persist,
    outcomes,
    links,
    active,
    worker,
    target: async (type) => {
      const agent = await find(type)
      return agent === undefined ? { provider: type, model: type } : target(agent)
    },
    learnPolicy: remote.learn,
    hear,
    onRegistered: (heartbeatMs) => {
      endHeartbeat?.()
      endHeartbeat = every(needs, 'heartbeat', heartbeatMs, active.beat)
    },
    clock,
    ids,
    log,
    isolation: host.isolation,
    offered: async () =>
      (await agents.adapters())
        .filter((agent) => agent.configured?.() ?? true)
        .map(({ type, name, description, canResume, timeoutMs }) => ({
          type,
          canResume: canResume === true,
          ...definedFields({
            name: oneLine(name, 200),
            description: oneLine(description, 1_000),
            timeoutMs,
          }),
        })),
  })
  const closeStatusPage =
    settings.statusPort === undefined
      ? undefined
      : await openStatusPage(settings.statusPort, () => ({
          runner: settings.name,
          ...health.read(loop.isRegistered()),
          running: [...links.keys()],
        }))
  const isInUse = (name: string) =>
    [...links.values()].some(({ claim }) => toThreadId(claim.task as never) === taskOfWorkspace(name))
  const jobs = [
    every(needs, 'sweep', SWEEP_EVERY_MS, () =>
      sweepWorkspaces(workspacesDir, config.WORKSPACE_TTL_HOURS, clock, async (name) => isInUse(name)),
    ),
  ]
  return {
    /** Runs tasks until it is stopped, or has run one with `once`. Throws Problem `bad_setting` for a refused runner. */
    run: loop.run,
    /** Takes no more tasks; those that run may end within a few seconds, else they are queued again. */
    close: async () => {
      await loop.stop()
      ending.abort(new Error('The runner has stopped'))
      await closeStatusPage?.()
      await Promise.all([...jobs, endHeartbeat].map((end) => end?.()))
      await host.close()
      endStrayErrors()
    },
  }
}
