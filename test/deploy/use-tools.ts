import { randomBytes } from 'node:crypto'
import { chunk, DONE, events, hang, type Reply, startWire, status, usage } from '../fakes/model-wire.ts'
import type { Functions } from './functions.ts'

type Headers = Record<string, string>
// biome-ignore lint/suspicious/noExplicitAny: the answers of many routes.
type Answer = any

/** Larger than what a row keeps in itself. */
const LONG = 'word '.repeat(20_000)
const MOST_FEEDS = 10

/** What a user says to have the model call its tools, and to have it say nothing more. */
const USE_TOOLS = 'Use the tools'
const HANG = 'Hang'

/** A file whose archive is larger than what a row keeps in itself. */
const NOISE = randomBytes(60_000).toString('base64')

const CALLS: Readonly<Record<string, object>> = {
  write_file: { path: 'a.txt', content: NOISE },
  create_task: { title: 'Task', prompt: LONG },
  memory_search: { query: 'title' },
  get_task: { id: 'none' },
  web_search: { query: 'title' },
}

type Message = { role: string; content?: unknown }
type Asked = { messages: Message[]; tools?: { function: { name: string } }[] }

const says = (content: string): Reply =>
  events(chunk({ role: 'assistant', content }), chunk({}, 'stop'), usage(1, 1), DONE)

const calls = (names: readonly string[]): Reply => {
  const tool_calls = names.map((name, index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(CALLS[name]) },
  }))
  return events(chunk({ role: 'assistant', tool_calls }), chunk({}, 'tool_calls'), usage(1, 1), DONE)
}

/** A model that does as its user said last: calls those of its tools that `CALLS` names, hangs, or says much. */
const obeys: Reply = (res, heard) => {
  // Models are listed by GET, and a search is one.
  if (heard.method === 'GET') return status(200, { object: 'list', data: [], results: [] })(res, heard)
  const { messages, tools = [] } = heard.body as Asked
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const said = JSON.stringify(messages[at]?.content)
  const isCalled = messages.slice(at).some(({ role }) => role === 'tool')
  const offered = tools.map(({ function: { name } }) => name).filter((name) => name in CALLS)
  if (said.includes(HANG)) return hang(chunk({ role: 'assistant', content: 'word ' }))(res, heard)
  if (said.includes(USE_TOOLS) && !isCalled) return calls(offered)(res, heard)
  return says(isCalled ? 'Done.' : 'word '.repeat(10_000))(res, heard)
}

/** A provider of models on loopback, and the settings by which functions find it. */
export const startModel = async () => {
  const { origin, close } = await startWire(obeys)
  const env = { OLLAMA_BASE_URL: `${origin}/v1`, OLLAMA_MODEL: 'model-7', OLLAMA_CONTEXT_TOKENS: '200000' }
  return { env, close }
}

/** Has models work with tools: in agentic turns, and in a conversation and a task that wait for approvals. */
export const useTools = async (functions: Functions, url: string, known: Headers): Promise<void> => {
  const ask = (path: string, body?: object): Promise<Response> => {
    const headers = { ...known, 'content-type': 'application/json' }
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    return fetch(`${url}/api/chat${path}`, init)
  }
  const call = async (name: string, route: string, body?: object): Promise<Answer> =>
    functions.http(name, route, body, known)
  const begin = async (given = {}): Promise<string> =>
    (await call('chat', 'POST /api/chat/conversations', given)).conversation.id
  const searxng = { baseUrl: process.env.OLLAMA_BASE_URL, apiKey: 'key-of-search' }
  const search = { enabled: true, provider: 'searxng', searxng }
  await call('integrations', 'PUT /api/integrations/web-search', search)
  await useModelKeys(`${url}/api/model-keys`, known)
  await useSessions(ask, await begin())
  await useApprovedTurn({ functions, ask, call }, await begin({ systemPrompt: LONG }))
  for (const priority of [1, 3]) await continueApprovedTask({ functions, call }, priority)
  await cancelTaskBySession({ functions, ask, call })
}

type Ask = (path: string, body?: object) => Promise<Response>
type Call = (name: string, route: string, body?: object) => Promise<Answer>

/** A key that an admin stores, replaces and removes. */
const useModelKeys = async (url: string, known: Headers): Promise<void> => {
  const headers = { ...known, 'content-type': 'application/json' }
  const call = async (method: string, path = '', body?: object) => {
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${text}`)
    return text
  }
  for (const apiKey of ['the-first-key', 'the-second-key']) await call('PUT', '/groq', { apiKey })
  const listed = await call('GET')
  if (!listed.includes('"source":"stored"')) throw new Error(`No key is stored: ${listed}`)
  await call('DELETE', '/groq')
}

/** An agentic turn that is followed to its end, and one that is cancelled. */
const useSessions = async (ask: Ask, id: string): Promise<void> => {
  const agentic = (content: string) => ask(`/conversations/${id}/messages/agentic`, { content })
  const told = await (await agentic(USE_TOOLS)).text()
  if (!told.includes('"type":"message_saved"')) throw new Error(`The turn did not end well: ${told}`)
  const { sessions } = (await (await ask('/sessions')).json()) as Answer
  const [session] = sessions
  for (const path of [`?conversationId=${id}`, '?taskId=none', `/${session.id}`, `/${session.id}/events`]) {
    const answer = await ask(`/sessions${path}`)
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
    await answer.text()
  }
  const hanging = await agentic(HANG)
  let heard = ''
  for await (const piece of hanging.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    heard += piece
    const running = /"sessionId":"([^"]+)"/.exec(heard)?.[1]
    if (running && !heard.includes('CANCELLED')) await ask(`/sessions/${running}/cancel`, {})
  }
  if (!heard.includes('CANCELLED')) throw new Error(`The session was not cancelled: ${heard}`)
}

type Means = { functions: Functions; ask: Ask; call: Call }

/** Decides on everything that waits, one after the other; the worker goes on with each decision. */
const approveAll = async (
  { functions, call }: Pick<Means, 'functions' | 'call'>,
  isOver: () => Promise<boolean>,
): Promise<void> => {
  for (let n = 0; n < MOST_FEEDS; n++) {
    const { approvals } = await call('security', 'GET /api/security/approvals')
    const [first] = approvals
    if (first) await call('security', `POST /api/security/approvals/${first.id}`, { decision: 'allow-once' })
    for (const lane of ['ai-tasks-urgent', 'ai-tasks']) await functions.feed('worker', lane)
    if (await isOver()) return
  }
  throw new Error('What was approved did not go on')
}

/** A turn whose calls are approved elsewhere: it goes on in the worker, with the files of the turn before. */
const useApprovedTurn = async ({ functions, ask, call }: Means, id: string): Promise<void> => {
  const writeFiles = async () => {
    const told = await (await ask(`/conversations/${id}/messages/agentic`, { content: USE_TOOLS })).text()
    if (!told.includes('"type":"message_saved"')) throw new Error(`The turn did not end well: ${told}`)
  }
  await writeFiles()
  const answer = await ask(`/conversations/${id}/messages/with-tools`, {
    content: USE_TOOLS,
    securityMode: 'ask',
  })
  const { pendingApprovals = [] } = (await answer.json()) as Answer
  if (pendingApprovals.length < 2) throw new Error('The turn does not wait for two approvals')
  await approveAll({ functions, call }, async () => {
    const { messages } = await call('chat', `GET /api/chat/conversations/${id}`)
    const { content, toolCalls = [] } = messages.at(-1)
    if (content !== 'Done.') return false
    for (const { name, status, result } of toolCalls)
      if (name !== 'get_task' && status !== 'success') throw new Error(`${name}: ${result}`)
    return true
  })
  await writeFiles()
  await call('chat', `DELETE /api/chat/conversations/${id}`)
}

/** A task of the coding agent whose call is approved elsewhere: a message of its lane has it go on. */
const continueApprovedTask = async (
  { functions, call }: Omit<Means, 'ask'>,
  priority: number,
): Promise<void> => {
  const given = { title: 'Task', prompt: USE_TOOLS, assignedAgent: 'coding-agent', priority }
  const { task } = await call('tasks', 'POST /api/tasks', { ...given, metadata: { securityMode: 'ask' } })
  await approveAll({ functions, call }, async () => {
    const now = (await call('tasks', `GET /api/tasks/${task.id}`)).task
    if (now.status === 'failed') throw new Error(JSON.stringify(now.error))
    return now.status === 'completed'
  })
}

/** A task of the coding agent that waits, and is cancelled as a session. */
const cancelTaskBySession = async ({ functions, ask, call }: Means): Promise<void> => {
  const given = { title: 'Task', prompt: USE_TOOLS, assignedAgent: 'coding-agent' }
  const { task } = await call('tasks', 'POST /api/tasks', { ...given, metadata: { securityMode: 'ask' } })
  await functions.feed('worker', 'ai-tasks')
  const { sessions } = (await (await ask(`/sessions?taskId=${task.id}`)).json()) as Answer
  const { session } = (await (await ask(`/sessions/${sessions[0]?.id}/cancel`, {})).json()) as Answer
  if (session?.status !== 'cancelled') throw new Error('The task was not cancelled by its session')
}
