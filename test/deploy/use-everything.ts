import { encode } from '../../lib/adapters/aws/sqs/message.ts'
import type { TestProvider } from '../oauth/provider.ts'
import type { Functions } from './functions.ts'
import { useBulk } from './use-bulk.ts'
import { useChat } from './use-chat.ts'
import { useMemory } from './use-memory.ts'
import { useOutbound } from './use-outbound.ts'
import { useDevices, usePeople } from './use-people.ts'
import { useRunners } from './use-runners.ts'
import { useSecurity } from './use-security.ts'
import { deliver, useWebhooks } from './use-webhooks.ts'

/** What each queue that feeds a function feeds it. */
export const FED = [
  ['worker', 'ai-tasks'],
  ['worker', 'ai-tasks-urgent'],
  ['notify', 'ai-task-notifications'],
  ['dlq', 'ai-tasks-dlq'],
  ['dlq', 'ai-task-notifications-dlq'],
] as const
/** Larger than what a row keeps in itself. */
const LONG = 'word '.repeat(10_000)

type Headers = Record<string, string>
type Shown = {
  task: { id: string }
  taskId: string
  requestId: string
  token: string
  id: string
  items: { id: string; taskId: string }[]
  notifications: { id: string }[]
  schedule: { id: string }
  job: { id: string; status: string }
  failures: { fingerprint: string }[]
  attempts: { id: string }[]
}
export type Call = (name: string, route: string, body?: unknown, headers?: Headers) => Promise<Shown>

/** Requests by somebody who is signed in. */
const createCaller =
  ({ http }: Functions, known: Headers): Call =>
  async (name, route, body, headers) =>
    (await http(name, route, body, { ...known, ...headers })) as unknown as Shown

/** What the functions are there for, once, by a device of an admin. Answers how that is known, and an API token. */
export const useEverything = async (functions: Functions, provider: TestProvider) => {
  const people = await usePeople(functions, provider)
  const known = await useDevices(functions, people)
  const call = createCaller(functions, known)
  const token = await useTokens(call, createCaller(functions, people.user))
  const lost = await useGateway(functions, call, { authorization: `Bearer ${token}` })
  await useWork(functions, call, lost)
  await useBulk(functions, call, known)
  await useRepository(functions, call)
  await useRepository(functions, createCaller(functions, people.linked))
  await useWebhooks(functions, call)
  await useIntegrations(call)
  await useSchedules(call)
  await useMemory(functions, call)
  await useRunners(
    functions,
    call,
    [people.linked, people.user].map((one) => createCaller(functions, one)),
  )
  await useChat(functions, call)
  await useSecurity(functions, call)
  await useRest(call)
  await useOutbound(functions, call)
  await useAsProgram(functions, { authorization: `Bearer ${token}` })
  return { known, token }
}

/** Tokens of a user and of an admin; answers the admin's. */
const useTokens = async (call: Call, asUser: Call): Promise<string> => {
  const body = { name: 'program', scopes: ['gateway'] }
  const { id } = await asUser('gateway', 'POST /api/tokens', body)
  const { token } = await call('gateway', 'POST /api/tokens', body)
  for (const list of [call, asUser]) await list('gateway', 'GET /api/tokens')
  await asUser('gateway', `DELETE /api/tokens/${id}`)
  return token
}

/** Requests whose tasks end in each of the ways that there are; answers a task that its queue will give up on. */
const useGateway = async ({ feed }: Functions, call: Call, holder: Headers): Promise<string> => {
  const submit = (metadata: object, headers: Headers = {}, priority = 3) => {
    const ticket = { source: 'codehost', sourceId: 'a#3' }
    const task = { title: 'Task', prompt: LONG, assignedAgent: 'moody', metadata, priority, ...ticket }
    const options = { notifyUrl: 'http://127.0.0.1:9/', notifySecret: 'secret' }
    return call('gateway', 'POST /api/gateway', { task, options }, { ...holder, ...headers })
  }
  const key = { 'idempotency-key': 'k-1' }
  // At once: who comes too late finds the key, then the task, stored by another.
  const submitSame = () => submit({ words: 10_000 }, key)
  const [{ requestId } = { requestId: '' }] = await Promise.all(Array.from({ length: 3 }, submitSame))
  await submitSame()
  await submit({ failures: 9 }, {}, 1)
  for (const lane of ['ai-tasks', 'ai-tasks-urgent', 'ai-tasks-urgent']) await feed('worker', lane)
  await call('gateway', `GET /api/gateway/${requestId}/status`, undefined, holder)
  const answered = (await submit({})).taskId
  await call('tasks', `POST /api/tasks/${answered}/messages`, { content: LONG })
  await call('tasks', `POST /api/tasks/${answered}/cancel`)
  // Notices of those ends, after SQS gave up on them.
  await feed('dlq', 'ai-task-notifications')
  return (await submit({})).taskId
}

/** Tasks, from their creation to every end; what lies in queues when they are given up. */
const useWork = async ({ feed, feedInVain, invoke }: Functions, call: Call, lostId: string) => {
  const create = async (more: object = {}, headers = {}) => {
    const given = { title: 'Task', prompt: LONG, assignedAgent: 'moody', ...more }
    return (await call('tasks', 'POST /api/tasks', given, headers)).task.id
  }
  const metadata = { words: 10_000 }
  const done = await create({ metadata }, { 'idempotency-key': 'k-1' })
  await create({ metadata }, { 'idempotency-key': 'k-1' })
  const reply = (id: string, headers = {}) =>
    call('tasks', `POST /api/tasks/${id}/messages`, { content: LONG }, headers)
  await reply(done)
  const failing = { failures: 9, diffs: ['x'.repeat(60_000)] }
  const failed = await create({ metadata: failing, priority: 1 })
  await create({ metadata: failing, priority: 3 })
  const lost = encode({ body: { taskId: lostId, attempt: 1 }, priority: 3 })
  const unknown = encode({ body: { taskId: 'none', attempt: 1 }, priority: 3 })
  await feed('dlq', 'ai-tasks-dlq', lost, unknown, 'nonsense')
  for (const lane of ['ai-tasks', 'ai-tasks-urgent', 'ai-tasks', 'ai-tasks-urgent'])
    await feed('worker', lane, 'nonsense')
  await feed('notify', 'ai-task-notifications', 'nonsense')
  await feed('worker', 'ai-tasks')
  await call('tasks', `POST /api/tasks/${await create()}/cancel`)
  await call('tasks', `POST /api/tasks/${done}/retry`)
  // A message is handed over by the notice of an end, or by the next reply before that notice.
  const answered = await create()
  await reply(answered)
  await call('tasks', `POST /api/tasks/${answered}/cancel`)
  for (let n = 0; n < 2; n++) await reply(answered, { 'idempotency-key': 'k-2' })
  await call('tasks', `GET /api/threads/${answered}`)
  for (const path of ['', '/filter?q=word', '/analytics', `/${done}`, `/${done}/events`])
    await call('tasks', `GET /api/tasks${path}`)
  const { attempts } = await call('tasks', `GET /api/tasks/${failed}/attempts`)
  await call('tasks', `GET /api/tasks/${failed}/attempts/${attempts[0]?.id}`)
  await call('tasks', `GET /api/tasks/creators?tasks=${done}`)
  const exported = await call('tasks', 'GET /api/tasks/export')
  for (let n = 0; n < 2; n++) await call('tasks', 'POST /api/tasks/import', exported)
  await call('queue', 'GET /api/queue/status')
  const { items } = await call('queue', 'GET /api/dlq')
  const own = items.find(({ taskId }) => taskId.startsWith('task_'))
  await call('tasks', `POST /api/tasks/${own?.taskId}/retry`)
  for (const { id, taskId } of items.filter((item) => item !== own))
    await call('queue', `POST /api/dlq/${id}/${taskId.startsWith('task_') ? 'retry' : 'discard'}`)
  for (const [name, queue] of FED)
    if ((await feedInVain(name, queue, 'nonsense')) === 0) throw new Error(`${name} did without storage`)
  await invoke('tick', {})
}

/** A task with a repository of the code host, which is looked for by an account of its own or an admin's; in vain. */
const useRepository = async ({ feed }: Functions, call: Call) => {
  const given = { title: 'Task', assignedAgent: 'coding-agent', repository: 'owner/repo' }
  const { id } = (await call('tasks', 'POST /api/tasks', given)).task
  for (let n = 0; n < 2; n++) await feed('worker', 'ai-tasks')
  await call('tasks', `POST /api/tasks/${id}/cancel`).catch(() => undefined)
}

/** Schedules with texts that are kept beside their rows: made, run by hand, changed, deleted. */
const useSchedules = async (call: Call) => {
  const task = { title: 'Task', prompt: LONG, assignedAgent: 'moody' }
  const make = () =>
    call('schedules', 'POST /api/schedules', { name: 'Each minute', cron: '* * * * *', task })
  const { id } = (await make()).schedule
  await call('schedules', 'GET /api/schedules')
  await call('schedules', 'GET /api/schedules/preview?cron=@daily')
  await call('schedules', `GET /api/schedules/${id}`)
  await call('schedules', `POST /api/schedules/${id}/run`)
  await call('schedules', `PATCH /api/schedules/${id}`, { task: { ...task, prompt: 'Short' } })
  await call('schedules', `DELETE /api/schedules/${id}`)
  for (let n = 0; n < 2; n++) await make()
}

/** Settings of web search, made and changed; the caller's accounts elsewhere. A search is in use-tools.ts. */
const useIntegrations = async (call: Call) => {
  for (const apiKey of ['the-first-key', 'the-second-key'])
    await call('integrations', 'PUT /api/integrations/web-search', { tavily: { apiKey } })
  await call('integrations', 'GET /api/integrations/web-search')
  for (const name of ['codehost', 'trackera', 'trackerb']) {
    await call('webhooks', `GET /api/integrations/${name}`)
    await call('auth', `DELETE /api/integrations/${name}`)
  }
}

/** What a program with an API token may ask without one as well. */
const useAsProgram = async ({ ask, http }: Functions, holder: Headers) => {
  await http('health', 'GET /api/health', undefined, holder)
  await http('openapi', 'GET /api/openapi.json', undefined, holder)
  await ask('ui', 'GET /', undefined, holder)
  await http('devices', 'GET /api/devices/identity', undefined, holder)
  await deliver({ http }, { number: 90 }, holder)
  await ask('auth', 'GET /api/auth/codehost', undefined, holder)
}

const useRest = async (call: Call) => {
  for (const path of ['', '/types']) await call('agents', `GET /api/agents${path}`)
  for (const path of ['', '/ready', '/detailed', '/metrics']) await call('health', `GET /api/health${path}`)
  await call('auth', 'GET /api/auth/me')
  await call('openapi', 'GET /api/openapi.json')
  const { notifications } = await call('notifications', 'GET /api/notifications')
  for (const { id } of notifications) await call('notifications', `POST /api/notifications/${id}/read`)
  for (let n = 0; n < 2; n++) await call('notifications', 'POST /api/notifications/read-all')
  await call('notifications', 'GET /api/inbox?scope=all')
  const items = [{ key: 'failure:none', version: 'none' }]
  for (let n = 0; n < 2; n++) await call('notifications', 'POST /api/inbox/done', { items })
  await call('notifications', 'POST /api/inbox/reopen', { items })
  await call('settings', 'PATCH /api/settings', { webhooks: { retryDelaysMs: [0, 0, 0, 0, 0] } })
  for (const registrationMode of ['closed', null])
    await call('settings', 'PATCH /api/settings', { system: { registrationMode } })
  await call('settings', 'GET /api/settings')
  await call('settings', 'GET /api/audit')
}
