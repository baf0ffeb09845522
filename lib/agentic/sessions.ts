import { readRowCount } from '../core/collection.ts'
import { definedFields } from '../core/defined-fields.ts'
import { existing, Problem } from '../core/errors.ts'
import { countedPage, type PageQuery, pageFacts } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Task } from '../tasks/schema.ts'
import { createFollowing } from './following.ts'
import { type AgentSessionRow, agentSessions, sessionCounter, toSessionId } from './rows.ts'
import { type AgentSession, isOver, type SessionState } from './schema.ts'
import { createSessionRuns, type RunNeeds } from './session-runs.ts'

/** What a session shows of its task. */
export type TaskFacts = Pick<Task, 'id' | 'status' | 'createdBy' | 'completedAt' | 'error' | 'cost'>

type Needs = RunNeeds & {
  findTask: (taskId: string) => Promise<TaskFacts | undefined>
  cancelTask: (principal: Principal, taskId: string) => Promise<unknown>
  /** Throws Problem `missing` for a conversation that does not exist, or belongs to another user. */
  checkOwnConversation: (principal: Principal, conversationId: string) => Promise<void>
}

type Listed = PageQuery & { taskId?: string | undefined; conversationId?: string | undefined }

const STATES_OF_TASKS: Readonly<Record<Task['status'], SessionState>> = {
  pending: 'queued',
  queued: 'queued',
  in_progress: 'running',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
}

const taskEnd = (task: TaskFacts | undefined): Pick<AgentSession, 'status' | 'endedAt' | 'error'> => {
  const status = task ? STATES_OF_TASKS[task.status] : 'failed'
  if (!isOver(status)) return { status }
  const { completedAt: endedAt, error } = task ?? {}
  const ending = { status, ...definedFields({ endedAt }) }
  if (status === 'cancelled')
    return { ...ending, error: { code: 'CANCELLED', message: 'The task was cancelled.' } }
  if (status !== 'failed' || !error) return ending
  return { ...ending, error: { code: error.code.toUpperCase(), message: error.message } }
}

export type AgentSessions = ReturnType<typeof createAgentSessions>

/** Agent sessions: their rows, the runs in this process, and their events for readers in any process. */
export const createAgentSessions = (needs: Needs) => {
  const { store, clock, findTask, cancelTask, checkOwnConversation } = needs
  const { find, stop, ...runs } = createSessionRuns(needs)

  /** The session of a row that was read without its detail. */
  const toSession = async ({ expiresAt: _, ...row }: AgentSessionRow): Promise<AgentSession> => {
    if (row.taskId === undefined) return row
    const task = await findTask(row.taskId)
    return { ...row, ...taskEnd(task), ...definedFields({ cost: task?.cost }) }
  }

  const read = async (id: string): Promise<AgentSession | undefined> => {
    const row = await store.get(agentSessions, id)
    return row && toSession(row)
  }
  const follow = createFollowing({ ...needs, runs: { find }, read })

  /** A session that this caller may see: sessions of tasks are visible to all users. Throws Problem `missing`. */
  const get = async ({ userId }: Principal, id: string): Promise<AgentSession> => {
    const row = await store.get(agentSessions, id)
    const isVisible = row?.taskId !== undefined || row?.userId === userId
    return toSession(existing(isVisible ? row : undefined, 'Session'))
  }

  const listOfTask = async (taskId: string, query: Listed) => {
    const session = await read(toSessionId(taskId))
    const sessions = session === undefined ? [] : [session]
    return { sessions, ...pageFacts({ rows: sessions, next: undefined }, sessions.length, query, '') }
  }

  const list = async (principal: Principal, query: Listed) => {
    const { taskId, conversationId } = query
    if (conversationId !== undefined) await checkOwnConversation(principal, conversationId)
    if (taskId !== undefined) return listOfTask(taskId, query)
    const { userId } = principal
    const selection =
      conversationId === undefined
        ? { index: 'ofUser', is: userId }
        : { index: 'ofConversation', is: conversationId, where: [{ field: 'userId' as const, in: [userId] }] }
    const scope = `agent-sessions:${JSON.stringify([userId, conversationId])}`
    const { rows, facts } = await countedPage(query, scope, {
      page: (range) => store.page(agentSessions, { ...selection, order: 'desc', ...range }),
      count: () =>
        conversationId === undefined
          ? readRowCount(store, sessionCounter(userId))
          : store.count(agentSessions, selection),
    })
    return { sessions: await Promise.all(rows.map(toSession)), ...facts }
  }

  return {
    ...runs,
    get,
    list,
    /** Follows a session from the event after an id. Throws Problem `missing` for one that the caller may not see. */
    follow: async (principal: Principal, id: string, after: string, signal: AbortSignal) => {
      await get(principal, id)
      return follow(id, after, signal)
    },
    /** Follows a session that was just opened in this process, from its first event. */
    followOpened: (id: string, signal: AbortSignal) => follow(id, '', signal),
    /** Stops a session, or its task. Throws Problem `missing`, or `invalid` `session_state_conflict` if it ended. */
    cancel: async (principal: Principal, id: string): Promise<AgentSession> => {
      const session = await get(principal, id)
      const { status, taskId } = session
      if (isOver(status))
        throw new Problem('invalid', 'session_state_conflict', `The session is already ${status}`)
      if (taskId !== undefined) {
        await cancelTask(principal, taskId)
        return get(principal, id)
      }
      await store.commit<AgentSessionRow>({
        update: agentSessions,
        key: id,
        when: { status: 'running' },
        set: { cancelRequestedAt: iso(clock.now()) },
      })
      stop(id, 'CANCELLED')
      return session
    },
  }
}
