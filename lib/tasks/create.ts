import { definedFields } from '../core/defined-fields.ts'
import { invalid, type Problem } from '../core/errors.ts'
import { fingerprint, REPLAY_MS, refuseReuse, replayKey } from '../core/idempotency.ts'
import { isLocalAdmin, type Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Trace } from '../core/trace.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Repositories } from '../ports/repositories.ts'
import type { AnyWrite, Insert, Store } from '../ports/store.ts'
import { type CreateReplay, createReplays, tasks, ticketInserts, turnInserts } from './rows.ts'
import { type CreateTask, publicTask, type Task, type TaskRow } from './schema.ts'
import type { Transitions } from './transitions.ts'

/** The agents that a task may name: the default one, those of the service, and those that only runners have. */
export type AgentChoice = {
  fallback: string
  types(): Promise<readonly string[]>
  offered(): Promise<readonly string[]>
}

type Needs = {
  store: Store
  transitions: Pick<Transitions, 'emittedEvent' | 'event' | 'commit'>
  agents: AgentChoice
  /** Throws Problem `invalid` `runners_off` where no runner gets tasks: one that asks for labels would wait for ever. */
  refuseIfNoRunners: () => void
  repositories: Pick<Repositories, 'check'>
  clock: Clock
  ids: Ids
  maxAttempts: () => number
}

type FurtherFields = {
  id?: string
  retriedFrom?: string
  threadId?: string
  parentId?: string
  /** The agent of the turn before it, which may be registered no more: the run says so. */
  agent?: string
  home?: string
  watched?: true
  bulkJobId?: string | undefined
  trace?: Trace | undefined
}

export type TaskCreation = ReturnType<typeof createTaskCreation>

/** Creates and stores tasks. A task is stored as queued; storage sends its message after the commit. */
export const createTaskCreation = (needs: Needs) => {
  const { store, transitions, agents, clock, ids, maxAttempts } = needs
  let latest = 0
  /** Creation times never step back within a process, so that newer tasks are listed before older ones. */
  const creationTime = () => {
    latest = Math.max(latest, clock.now())
    return iso(latest)
  }

  /** The task's agent. Throws Problem `invalid` `agent_unknown` for one that does not exist. */
  const checkedAgent = async ({ assignedAgent }: Pick<CreateTask, 'assignedAgent'>): Promise<string> => {
    // What runs agents checks at its start that the default agent exists.
    if (assignedAgent === undefined) return agents.fallback
    const types = await agents.types()
    if (types.includes(assignedAgent)) return assignedAgent
    const offered = await agents.offered()
    if (offered.includes(assignedAgent)) return assignedAgent
    const message = `must be one of the registered agents: ${[...new Set([...types, ...offered])].join(', ')}`
    throw invalid([{ path: 'assignedAgent', message }], 'agent_unknown')
  }

  /** Makes a new task, its write and the rows of the same commit, for a caller of `commit`. Throws Problem `invalid`. */
  const draft = async (
    principal: Principal,
    body: CreateTask,
    { id, trace, bulkJobId, ...more }: FurtherFields = {},
  ): Promise<{ task: Task; write: Insert<TaskRow>; rows: readonly AnyWrite[] }> => {
    const agent = more.agent ?? (await checkedAgent(body))
    if (body.runsOn !== undefined && body.runsOn.length > 0) needs.refuseIfNoRunners()
    const at = creationTime()
    const row: TaskRow = {
      ...body,
      id: id ?? ids.next('task'),
      status: 'queued',
      agent,
      attempts: 0,
      maxAttempts: maxAttempts(),
      createdAt: at,
      updatedAt: at,
      queuedAt: at,
      createdBy: principal.userId,
      fence: 0,
      ...more,
      ...definedFields({ trace, bulkJobId }),
    }
    const log = [transitions.emittedEvent('created'), transitions.event('queued')]
    return {
      task: publicTask(row),
      write: { insert: tasks, row, log },
      rows: [...ticketInserts(row), ...turnInserts(row)],
    }
  }

  /** Throws the errors of `Repositories.check` for a repository that this caller may not name. */
  const checkRepository = async (
    principal: Principal,
    { repository }: Pick<CreateTask, 'repository'>,
  ): Promise<void> => {
    if (repository === undefined) return
    await needs.repositories.check(repository, { isLocalAdmin: isLocalAdmin(principal) })
  }

  const create = async (principal: Principal, body: CreateTask, trace?: Trace): Promise<Task> => {
    const { task, write, rows } = await draft(principal, body, { trace })
    await checkRepository(principal, body)
    await transitions.commit(write, rows)
    return task
  }

  /** The answer of the first request with the same key. */
  const replayedTask = (
    principal: Principal,
    body: CreateTask,
    made: NonNullable<CreateReplay['made']>,
  ): Task => {
    const { id, agent, maxAttempts: most, createdAt: at } = made
    const times = { createdAt: at, updatedAt: at, queuedAt: at }
    const row = { ...body, id, status: 'queued' as const, agent, attempts: 0, maxAttempts: most, ...times }
    return { ...row, createdBy: principal.userId, threadId: id }
  }

  /**
   * Creates a task once per key: within 24 hours the same key and body answers the first task, another body throws
   * Problem `invalid`. Key and task are one commit.
   */
  const createOnce = async (principal: Principal, body: CreateTask, key: string, trace?: Trace) => {
    const record = replayKey(principal, key)
    const replay = async (): Promise<{ task: Task; replayed: true } | undefined> => {
      const row = await store.get(createReplays, record)
      if (row === undefined) return undefined
      refuseReuse(row.bodyHash, fingerprint(body))
      return row.made && { task: replayedTask(principal, body, row.made), replayed: true }
    }
    const { task, write, rows } = await draft(principal, body, { trace })
    // A repeated request is answered even if its repository would be refused by now.
    const refusal = await checkRepository(principal, body).then(
      () => undefined,
      (thrown: Problem) => thrown,
    )
    if (refusal !== undefined) {
      const answer = await replay()
      if (answer === undefined) throw refusal
      return answer
    }
    const { id, agent, maxAttempts: most, createdAt } = task
    const row: CreateReplay = {
      key: record,
      bodyHash: fingerprint(body),
      made: { id, agent, maxAttempts: most, createdAt },
      expiresAt: clock.now() + REPLAY_MS,
    }
    const { applied } = await transitions.commit<CreateReplay>({ insert: createReplays, row }, [
      write,
      ...rows,
    ])
    if (applied) return { task, replayed: false }
    const answer = await replay()
    if (answer === undefined) throw new Error('A record that stood in the way does not exist')
    return answer
  }

  return { draft, commit: transitions.commit, create, createOnce, checkAgent: checkedAgent, checkRepository }
}
