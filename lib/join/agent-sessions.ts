import { createAgentSessions } from '../agentic/sessions.ts'
import { createTaskRuns } from '../agentic/task-runs.ts'
import type { Config } from '../config.ts'
import type { Feed } from '../ports/feed.ts'
import type { Models } from '../ports/model.ts'
import type { Tasks } from '../tasks/service.ts'
import type { AuthPorts } from './auth-context.ts'

type Ports = Pick<AuthPorts, 'store' | 'clock' | 'ids' | 'log' | 'masker'> & { feed: Feed }

/** Agent sessions; those of tasks are in the state of their task. */
export const joinAgentSessions = (
  ports: Ports,
  config: Pick<Config, 'AGENTIC_TIMEOUT_MS' | 'AGENTIC_ORPHAN_MS'>,
  tasks: Pick<Tasks, 'find' | 'cancel'>,
) =>
  createAgentSessions({
    ...ports,
    timeoutMs: config.AGENTIC_TIMEOUT_MS,
    orphanMs: config.AGENTIC_ORPHAN_MS,
    taskOf: tasks.find,
    cancelTask: tasks.cancel,
  })

/** The runs of tasks as sessions, where agents run. */
export const joinTaskRuns = (
  agentSessions: ReturnType<typeof joinAgentSessions>,
  { models, clock, ids }: Pick<Ports, 'clock' | 'ids'> & { models: Pick<Models, 'resolve'> },
) => createTaskRuns({ sessions: agentSessions, target: () => models.resolve({}), clock, ids })
