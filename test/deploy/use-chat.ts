import type { Functions } from './functions.ts'

/** Larger than what a row keeps in itself. */
const LONG = 'word '.repeat(10_000)

// biome-ignore lint/suspicious/noExplicitAny: the answers of many routes.
type Call = (name: string, route: string, body?: unknown) => Promise<any>

/** Conversations, from their beginning to their end; what the tick does then. */
export const useChat = async ({ invoke }: Functions, ask: Call): Promise<void> => {
  const call = (route: string, body?: unknown) => ask('chat', route, body)
  const made = []
  const taskId = (await ask('tasks', 'GET /api/tasks?limit=1')).tasks[0].id
  for (const given of [{ systemPrompt: LONG, taskId }, { ticketId: 'codehost:a#1' }, {}])
    made.push((await call('POST /api/chat/conversations', given)).conversation.id)
  for (const query of ['', `?taskId=${taskId}`, `?taskId=${taskId}&ticketId=codehost:a%231`, '?limit=1'])
    await call(`GET /api/chat/conversations${query}`)
  await call(`GET /api/chat/conversations/${made[0]}`)
  await call(`PATCH /api/chat/conversations/${made[0]}`, { title: 'Another' })
  for (const id of made) await call(`DELETE /api/chat/conversations/${id}`)
  await invoke('tick', {})
}
