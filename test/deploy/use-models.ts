import { createIds } from '../../lib/adapters/node/ids.ts'
import { type AgentSessionRow, agentSessions, toStreamName } from '../../lib/agentic/rows.ts'
import { openCloud } from '../../lib/app/cloud.ts'
import { type CloudPorts, openCloudPorts } from '../../lib/app/cloud-ports.ts'
import {
  type AllowedToolRow,
  type ApprovalRow,
  allowedTools,
  approvalSlots,
  approvals,
} from '../../lib/approvals/rows.ts'
import { toScope } from '../../lib/approvals/service.ts'
import { createChat } from '../../lib/chat/service.ts'
import type { AuthPorts } from '../../lib/composition/ports.ts'
import { type Config, readConfig } from '../../lib/config/config.ts'
import { iso } from '../../lib/core/time.ts'
import { createFeed } from '../../lib/feed/feed.ts'
import type { ToolOutcome } from '../../lib/ports/tool.ts'
import type { Workspace } from '../../lib/ports/workspace.ts'
import { createLoop } from '../../lib/tools/loop.ts'
import { createConversations } from '../../lib/turns/conversations.ts'
import {
  type ConversationRow,
  conversationRemovals,
  conversations as conversationRows,
  REMOVALS,
  workspaceSnapshots,
} from '../../lib/turns/rows.ts'
import { createTurns } from '../../lib/turns/service.ts'
import { noSnapshots } from '../../lib/turns/snapshots.ts'
import { createScriptedModels } from '../fakes/scripted-models.ts'
import { fakeToolbox, pendingOn } from '../fakes/toolbox.ts'
import type { Functions } from './functions.ts'

type Headers = Record<string, string>
// biome-ignore lint/suspicious/noExplicitAny: the answers of many routes.
type Answer = any

/** Larger than what a row keeps in itself. */
const LONG = 'word '.repeat(10_000)
/** More chunks than a row of memory keeps in itself. */
const LONG_FILE = Array.from({ length: 4_000 }, (_, n) => `Line ${n} of a title.`).join('\n\n')
const FIRST_APPROVAL = 'appr_1'
const SOMEBODY = { userId: 'user_chat', role: 'user' } as const

/** Has models answer, in a process that has to compile memory first: by themselves, about a task, and in a conversation that a memory session is tied to. */
export const useModels = async (
  { http, putFile, dropCopies }: Functions,
  url: string,
  known: Headers,
): Promise<void> => {
  await putFile('stream.md', LONG_FILE)
  await http('memory', 'POST /api/memory/sync', undefined, known)
  await dropCopies()
  const ask = async (method: string, path: string, body?: object): Promise<string> => {
    const headers = { ...known, 'content-type': 'application/json' }
    const answer = await fetch(url + path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await answer.text()
    if (answer.status >= 400) throw new Error(`${path}: ${answer.status} ${text}`)
    return text
  }
  const inChat = (route: string, body: object): Promise<Answer> => http('chat', route, body, known)
  const { id: taskId } = (
    (await http(
      'tasks',
      'POST /api/tasks',
      { title: 'Task', prompt: LONG, source: 'codehost', sourceId: 'a#1' },
      known,
    )) as Answer
  ).task
  const { id } = (await inChat('POST /api/chat/conversations', { systemPrompt: LONG, taskId })).conversation
  await http('memory', 'POST /api/memory/sessions', { name: 'title', conversationId: id }, known)
  const messages = [{ role: 'user', content: 'title' }]
  await ask('POST', '/api/chat/quick', { prompt: 'Hi' })
  await ask('POST', '/api/chat/smart', { messages, ticketId: 'codehost:a#1' })
  await ask('POST', '/api/chat/completions', { messages, conversationId: id, stream: true })
  for (const path of ['', '/with-tools'])
    await ask('POST', `/api/chat/conversations/${id}/messages${path}`, { content: LONG })
  for (const path of ['providers', 'models']) await ask('GET', `/api/chat/${path}`)
  await http('chat', `GET /api/chat/conversations/${id}`, undefined, known)
  await http('chat', `DELETE /api/chat/conversations/${id}`, undefined, known)
}

const openConversations = (ports: CloudPorts) =>
  createConversations({ ...ports, taskExists: async () => true })

/** Deletes a conversation, as its user would. */
export const deleteWaiting = (id: string) => async (config: Config) =>
  (await openCloud(config)).conversationRemoval.remove(SOMEBODY, id)

/** Cancels the turn that waits in a conversation, as its user would. */
export const cancelWaiting = (id: string) => async (config: Config) =>
  (await openCloud(config)).cancelTurn(SOMEBODY, id)

/** Begins a conversation, as its user would. */
export const beginConversation = async (config: Config): Promise<string> =>
  (await openConversations(openCloudPorts(config)).create(SOMEBODY, { title: 'Waits' })).id

/** Turns that wait for approvals; those of the first conversation are decided, one after the other, and it is answered. */
export const useWaitingTurns = async (
  env: Headers,
  first: string,
  others: readonly string[],
): Promise<void> => {
  const ports = openCloudPorts(readConfig({ ...process.env, ...env }))
  const models = createScriptedModels([
    { calls: [1, 2].map((n) => ({ name: 'write', arguments: { n, LONG } })) },
    { text: 'Done.' },
  ])
  let approved = 0
  const call = async (given: { arguments: unknown }): Promise<ToolOutcome> =>
    (given.arguments as { n: number }).n <= approved
      ? { content: LONG, failed: false, decision: 'approved', durationMs: 1 }
      : pendingOn(FIRST_APPROVAL)
  const conversations = openConversations(ports)
  const times = { timeoutMs: 60_000, firstByteMs: 60_000 }
  const turns = createTurns({
    ...ports,
    ...times,
    conversations,
    models,
    loop: createLoop({ models }),
    openTools: () => fakeToolbox(call, { specs: [], ask: async () => pendingOn('appr_2') }),
    workspaces: { open: async () => ({ root: '/' }) as Workspace },
    findTask: async () => undefined,
    findTicketTask: async () => undefined,
    readTicket: async () => undefined,
    recall: async () => [],
    hasMemorySession: async () => false,
    snapshots: noSnapshots,
    withdrawApprovals: async () => undefined,
    holdsRights: async () => true,
    isDisabled: async () => false,
    takeTurnSlot: async () => async () => undefined,
    countCost: async () => undefined,
  })
  const chat = createChat({ ...ports, ...times, models, turns, defaultMode: () => 'ask' })
  for (const id of [first, ...others]) {
    models.requests.length = 0
    const asked = await chat.send.sendWithTools(SOMEBODY, id, { content: LONG })
    if (!asked.pendingApprovals) throw new Error('The turn did not wait')
  }
  for (approved = 1; approved <= 2; approved++) await chat.send.resume({ conversationId: first })
  const { messages } = await conversations.get(SOMEBODY, first, { limit: 1 })
  if (messages[0]?.content !== 'Done.') throw new Error('The turn did not go on')
}

/** What a conversation has besides its messages: a long approval that is pending, an allowed tool, sessions with events. */
export const plantBelongings = async (
  { store, clock }: Pick<AuthPorts, 'store' | 'clock'>,
  conversationId: string,
  approvalId = FIRST_APPROVAL,
): Promise<void> => {
  const { userId } = SOMEBODY
  const scope = toScope({ userId, conversationId })
  const now = iso(clock.now())
  const expiresAt = clock.now() + 3_600_000
  const row: ApprovalRow = {
    id: approvalId,
    userId,
    conversationId,
    toolName: 'write',
    title: 'write',
    params: { LONG },
    securityLevel: 'write',
    requestedAt: now,
    expiresAt: iso(expiresAt),
    status: 'pending',
    scope,
    binding: approvalId,
    mode: 'ask',
    pendingOf: userId,
    dueAt: iso(expiresAt),
  }
  const slot = { binding: approvalId, approvalId }
  await store.commit<ApprovalRow>({ insert: approvals, row }, [{ insert: approvalSlots, row: slot }])
  const allowed = { scope, userId, conversationId, toolName: 'write', approvalId, allowedAt: now, expiresAt }
  await store.commit<AllowedToolRow>({ insert: allowedTools, row: allowed })
  const snapshot = { conversationId, archive: LONG, createdAt: now }
  await store.commit({ insert: workspaceSnapshots, row: snapshot })
  const feed = createFeed({ store, clock, ids: createIds({ clock }) })
  for (const status of ['running', 'completed'] as const) {
    const id = `sess_${status}_${conversationId}`
    await feed.append(toStreamName(id), [{ type: 'content' }])
    const session = {
      id,
      status,
      conversationId,
      userId,
      provider: 'p',
      model: 'm',
      createdAt: now,
      expiresAt,
    }
    await store.commit<AgentSessionRow>({ insert: agentSessions, row: session })
  }
}

/** Ends the session that ran, as its process does when it is told to. */
export const endRunning = async ({ store }: Pick<AuthPorts, 'store'>, conversationId: string) =>
  store.commit<AgentSessionRow>({
    update: agentSessions,
    key: `sess_running_${conversationId}`,
    set: { status: 'cancelled' },
  })

/** A conversation that was deleted by a process that died then: what belonged to it is left. */
export const deleteAndDie = ({ store, clock }: Pick<AuthPorts, 'store' | 'clock'>, id: string) =>
  store.commit<ConversationRow>({ remove: conversationRows, key: id }, [
    {
      insert: conversationRemovals,
      row: { id, userId: SOMEBODY.userId, space: REMOVALS, requestedAt: iso(clock.now()) },
    },
  ])

/** Throws for a conversation of which something is left. */
export const refuseLeft = async ({ store }: Pick<AuthPorts, 'store'>): Promise<void> => {
  const of = { index: 'ofSpace', is: REMOVALS, order: 'asc', limit: 1 } as const
  const { rows } = await store.page(conversationRemovals, of)
  if (rows.length > 0) throw new Error(`${rows[0]?.id} is not removed`)
}
