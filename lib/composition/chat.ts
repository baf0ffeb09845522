import { createForgetSessions } from '../agentic/forget.ts'
import { type AgentSessions, createAgentSessions } from '../agentic/sessions.ts'
import { createTaskRuns } from '../agentic/task-runs.ts'
import { createAgenticTurns } from '../agentic/turn.ts'
import { type ContinueTurn, type TurnMessage, TurnMessageSchema } from '../approvals/schema.ts'
import type { ApprovalService } from '../approvals/service.ts'
import { createChat } from '../chat/service.ts'
import type { Config } from '../config/config.ts'
import { Problem } from '../core/errors.ts'
import type { Feed } from '../feed/feed.ts'
import { createWebSearch } from '../integrations/web-search.ts'
import { createExpand, type Expand } from '../memory/expand.ts'
import { createMemory, type Memory, type MemoryPorts, type Watching } from '../memory/service.ts'
import type { AccountAccess } from '../oauth/schema.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Models } from '../ports/model.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { TrackerName, Trackers } from '../ports/tracker.ts'
import type { WebSearchProviders } from '../ports/web-search.ts'
import type { Workspaces } from '../ports/workspace.ts'
import type { Tasks } from '../tasks/service.ts'
import { workspaceTools } from '../tools/catalog.ts'
import { createCancelTurn } from '../turns/cancel.ts'
import {
  type Conversations,
  createCheckOwnConversation,
  createConversations,
} from '../turns/conversations.ts'
import type { ReadTicket, TurnPorts } from '../turns/needs.ts'
import { createConversationRemoval } from '../turns/removal.ts'
import { createTurns } from '../turns/service.ts'
import { createSnapshots, noSnapshots } from '../turns/snapshots.ts'
import type { AuthContext, AuthPorts } from './auth.ts'
import { type Security, TASK_ENDED } from './security.ts'

type Others = {
  tasks: Pick<Tasks, 'find' | 'exists' | 'newestOfTicket'> & { recovery: Pick<Tasks['recovery'], 'resume'> }
  memory: Pick<Memory, 'recall' | 'sessions'>
  policy: Pick<Security['policy'], 'current'>
  approvals: Pick<ApprovalService, 'withdraw' | 'withdrawSession'>
  agentSessions: AgentSessions
  access: Pick<AccountAccess, 'readerFor' | 'validToken'>
} & Pick<AuthContext, 'holdsRights' | 'readAccountStatus' | 'openTurns'>
type Ports = Pick<AuthPorts, 'store' | 'clock' | 'ids' | 'log'> & ConversationPorts
export type ConversationPorts = TurnPorts & { workspaces: Workspaces; trackers: Trackers }

/** Conversations and their continuation after approvals. A proxy waits `longestSilenceMs` for the first byte. */
export const composeChat = (
  others: Others,
  ports: Ports,
  config: Pick<Config, 'AGENTIC_TIMEOUT_MS' | 'SERVICE_MODE'>,
  longestSilenceMs = Number.POSITIVE_INFINITY,
) => {
  const { tasks, memory, policy, approvals, agentSessions, access, readAccountStatus } = others
  const changing = new Set(workspaceTools.filter(({ risk }) => risk !== 'read').map(({ name }) => name))
  const isOneProcess = config.SERVICE_MODE !== 'pro'
  const conversations = createConversations({ ...ports, taskExists: tasks.exists })
  const snapshots = isOneProcess
    ? noSnapshots
    : createSnapshots({ ...ports, changesFiles: (tool) => changing.has(tool) })
  const times = {
    timeoutMs: config.AGENTIC_TIMEOUT_MS,
    firstByteMs: Math.min(config.AGENTIC_TIMEOUT_MS, longestSilenceMs),
  }
  const turns = createTurns({
    ...ports,
    ...others,
    ...times,
    conversations,
    snapshots,
    findTask: tasks.find,
    findTicketTask: tasks.newestOfTicket,
    readTicket: createReadTicket({ trackers: ports.trackers, access }),
    recall: memory.recall,
    hasMemorySession: async (conversation) => (await memory.sessions.readNames(conversation.id)).length > 0,
    withdrawApprovals: approvals.withdraw,
    isDisabled: async (userId) => (await readAccountStatus(userId))?.disabled === true,
  })
  const defaultMode = async () => (await policy.current()).defaultMode
  const chat = createChat({ ...ports, ...times, turns, defaultMode })
  const agentic = createAgenticTurns({
    ...ports,
    sessions: agentSessions,
    turns,
    openToolbox: (principal, id) => turns.openToolbox(principal, id, { mode: 'full', unattended: true }),
  })
  /** Continues what waited for an approval: a turn of a conversation, or the run of a task. */
  const continueTurn: ContinueTurn = async (message) => {
    if ('endedTaskId' in message) {
      const { endedTaskId: taskId, userId } = message
      return approvals.withdrawSession({ taskId, userId }, TASK_ENDED)
    }
    const { conversationId, taskId } = message
    if (taskId !== undefined) await tasks.recovery.resume(taskId)
    else if (conversationId !== undefined) await chat.send.resume({ conversationId })
  }
  return { conversations, chat, turns, snapshots, agentSessions, agentic, continueTurn }
}

/** Parses a message about approvals. Throws Problem `internal` for any other message: no collection may send one. */
export const turnMessageIn = (body: object): TurnMessage => {
  const { success, data } = TurnMessageSchema.safeParse(body)
  const message = 'A collection sent a message about approvals in an unknown shape'
  if (!success) throw new Problem('internal', 'unknown_turn_message', message)
  return data
}

type TicketNeeds = { trackers: Trackers; access: Pick<AccountAccess, 'readerFor' | 'validToken'> }

const READ_MS = 5_000

const isTracker = (trackers: Trackers, name: string): name is TrackerName => Object.hasOwn(trackers, name)

/** Reads tickets by the user's linked account, so that a user sees no more than the provider allows. */
const createReadTicket =
  ({ trackers, access }: TicketNeeds): ReadTicket =>
  async ({ userId }, provider, sourceId) => {
    if (!isTracker(trackers, provider)) return undefined
    const account = await access.readerFor(userId, provider)
    const token = account && (await access.validToken(account.id, provider))
    if (account === undefined || token === undefined) return undefined
    const { id: _id, ...of } = account
    const issue = { id: sourceId }
    try {
      return await trackers[provider].read({ as: { ...of, token }, issue, timeoutMs: READ_MS })
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.kind === 'missing') return undefined
      throw thrown
    }
  }

type EndNeeds = {
  conversations: Pick<Conversations, 'own'>
  approvals: Pick<ApprovalService, 'forget' | 'withdraw'>
  /** Stops a turn that runs in this process; absent where none run. */
  stopTurn?: (conversationId: string) => void
  /** Whether a turn runs, in a process that runs all turns; absent where other processes run them. */
  hasTurn?: (conversationId: string) => boolean
  /** Absent where workspaces are on the disks of other processes, which remove them later. */
  removeWorkspace?: (conversationId: string) => Promise<void>
}

/** Deletes conversations with everything that belongs to them, and cancels their turns. */
export const composeConversationEnds = (
  {
    conversations,
    approvals,
    stopTurn = () => undefined,
    hasTurn,
    removeWorkspace = async () => undefined,
  }: EndNeeds,
  ports: Pick<AuthPorts, 'store' | 'clock' | 'log'> & { feed: Pick<Feed, 'remove'> },
) => ({
  conversationRemoval: createConversationRemoval({
    ...ports,
    conversations,
    stopTurn,
    hasTurn,
    removeWorkspace,
    forgetSessions: createForgetSessions(ports),
    forgetApprovals: approvals.forget,
  }),
  cancelTurn: createCancelTurn({ ...ports, conversations, stopTurn, withdrawApprovals: approvals.withdraw }),
})

type SessionPorts = Pick<AuthPorts, 'store' | 'clock' | 'ids' | 'log' | 'masker'> & { feed: Feed }

/** Agent sessions; sessions of tasks have the state of their task. */
export const composeAgentSessions = (
  ports: SessionPorts,
  config: Pick<Config, 'AGENTIC_TIMEOUT_MS' | 'AGENTIC_ORPHAN_MS'>,
  tasks: Pick<Tasks, 'find' | 'cancel'>,
) =>
  createAgentSessions({
    ...ports,
    timeoutMs: config.AGENTIC_TIMEOUT_MS,
    orphanMs: config.AGENTIC_ORPHAN_MS,
    findTask: tasks.find,
    cancelTask: tasks.cancel,
    checkOwnConversation: createCheckOwnConversation(ports),
  })

export const composeTaskRuns = (
  agentSessions: ReturnType<typeof composeAgentSessions>,
  { models, clock, ids }: Pick<SessionPorts, 'clock' | 'ids'> & { models: Pick<Models, 'resolve'> },
) => createTaskRuns({ sessions: agentSessions, target: () => models.resolve({}), clock, ids })

/** The ports of memory with the watcher of its files. */
export type WatchedMemoryPorts = MemoryPorts & { watchingMemory: Watching }

/** Memory, whose deletion is recorded with its user. */
export const composeMemory = (
  { audit }: Pick<AuthContext, 'audit'>,
  { watchingMemory, ...ports }: WatchedMemoryPorts,
) =>
  createMemory({
    ...ports,
    watching: watchingMemory,
    audit: audit.record,
    checkOwnConversation: createCheckOwnConversation(ports),
  })

/** A configured model that adds words to questions, if the setting asks for it and there is no embedding model. */
export const composeExpand = (
  config: Pick<Config, 'MEMORY_EXPAND' | 'EMBEDDING_MODEL'>,
  { models, clock, log }: { models: Models; clock: Clock; log: Log },
): { expand?: Expand } => {
  const isAsked = config.MEMORY_EXPAND === 'on' && config.EMBEDDING_MODEL === undefined
  // The demo model adds no words.
  const hasModel = models.providers().some(({ configured, demo }) => configured && !demo)
  return isAsked && hasModel ? { expand: createExpand({ models, clock, log }) } : {}
}

export type WebSearchPorts = AuthPorts & {
  cipher: Cipher
  outbound: Pick<Outbound, 'check'>
  webSearchProviders: WebSearchProviders
}

export const composeWebSearch = ({ audit }: Pick<AuthContext, 'audit'>, ports: WebSearchPorts) =>
  createWebSearch({ ...ports, providers: ports.webSearchProviders, audit: audit.record })
