import { openS3 } from '../../lib/adapters/aws/clients.ts'
import { createS3Blobs } from '../../lib/adapters/aws/s3.ts'
import { openBasePorts } from '../../lib/app/cloud-base.ts'
import { createConversations } from '../../lib/chat/conversations.ts'
import { createChat } from '../../lib/chat/service.ts'
import { type Config, readConfig } from '../../lib/config.ts'
import type { ToolOutcome } from '../../lib/ports/tool.ts'
import type { Workspace } from '../../lib/ports/workspace.ts'
import { createLoop } from '../../lib/tools/loop.ts'
import { createScriptedModels } from '../fakes/scripted-models.ts'
import type { Functions } from './functions.ts'

type Headers = Record<string, string>
// biome-ignore lint/suspicious/noExplicitAny: the answers of many routes.
type Answer = any

/** Larger than what a row keeps in itself. */
const LONG = 'word '.repeat(10_000)
/** More chunks than a row of memory keeps in itself. */
const LONG_FILE = Array.from({ length: 4_000 }, (_, n) => `Line ${n} of a title.`).join('\n\n')
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

const portsOf = (config: Config) => {
  const client = openS3({ region: config.AWS_REGION, endpoint: config.S3_ENDPOINT })
  return openBasePorts(config, createS3Blobs({ client, bucket: config.FILES_BUCKET ?? '' }))
}

/** Deletes a conversation, as its user would. */
export const deleteWaiting = (id: string) => (config: Config) =>
  createConversations(portsOf(config)).remove(SOMEBODY, id)

/** Begins a conversation, as its user would. */
export const beginConversation = async (config: Config): Promise<string> =>
  (await createConversations(portsOf(config)).create(SOMEBODY, { title: 'Waits' })).id

/** Turns that wait for approvals; those of the first conversation are decided, one after the other, and it is answered. */
export const useWaitingTurns = async (env: Headers, first: string, second: string): Promise<void> => {
  const ports = portsOf(readConfig({ ...process.env, ...env }))
  const models = createScriptedModels([
    { calls: [1, 2].map((n) => ({ name: 'write', arguments: { n } })) },
    { text: 'Done.' },
  ])
  let approved = 0
  const call = async (given: { arguments: unknown }): Promise<ToolOutcome> =>
    (given.arguments as { n: number }).n <= approved
      ? { content: LONG, failed: false, decision: 'approved', durationMs: 1 }
      : { content: '', failed: false, decision: 'pending', durationMs: 1, approvalId: 'appr_1' }
  const conversations = createConversations(ports)
  const chat = createChat({
    ...{ ...ports, conversations, models, loop: createLoop({ models }), timeoutMs: 60_000 },
    openTools: () => ({ specs: [], title: () => 'write', call, ask: async () => 'appr_2' }),
    workspaces: { open: async () => ({ root: '/' }) as Workspace },
    findTask: async () => undefined,
    findTicketTask: async () => undefined,
    recall: async () => [],
    hasMemorySession: async () => false,
    defaultMode: () => 'ask',
  })
  for (const id of [first, second]) {
    models.requests.length = 0
    const asked = await chat.send.sendWithTools(SOMEBODY, id, { content: LONG })
    if (!asked.pendingApprovals) throw new Error('The turn did not wait')
  }
  for (approved = 1; approved <= 2; approved++) await chat.turns.resume({ conversationId: first })
  const { messages } = await conversations.get(SOMEBODY, first, { limit: 1 })
  if (messages[0]?.content !== 'Done.') throw new Error('The turn did not go on')
}
