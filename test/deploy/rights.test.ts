import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { encode } from '../../lib/adapters/aws/sqs/message.ts'
import { startCloud } from './cloud.ts'
import { loadFunctions } from './functions.ts'
import { startProgram } from './program.ts'
import { printStage } from './serverless.ts'
import { referencesIn, statementsOf, type Template } from './template.ts'

const HTTP = ['tasks', 'queue', 'agents', 'notifications', 'health', 'openapi']
const FUNCTIONS = [...HTTP, 'worker', 'notify', 'dlq', 'tick', 'agentic']
const PREFIX = 'agent-task-service-dev-'
/** Larger than what a row keeps in itself. */
const LONG = 'word '.repeat(10_000)

let cloud: Awaited<ReturnType<typeof startCloud>>
let functions: ReturnType<typeof loadFunctions>
let template: Template
let streamed: string[]

type Shown = {
  task: { id: string }
  items: { id: string; taskId: string }[]
  notifications: { id: string }[]
}

/** What the functions are there for, once. */
const useEverything = async () => {
  const { feed, invoke } = functions
  const http = async (...call: Parameters<typeof functions.http>) => (await functions.http(...call)) as Shown
  const create = async (more: object = {}, headers = {}) => {
    const given = { title: 'Task', prompt: LONG, assignedAgent: 'moody', ...more }
    return (await http('tasks', 'POST /api/tasks', given, headers)).task.id
  }
  const done = await create({}, { 'idempotency-key': 'k-1' })
  await create({}, { 'idempotency-key': 'k-1' })
  for (const priority of [1, 3]) await create({ metadata: { failures: 9 }, priority })
  for (const lane of ['ai-tasks', 'ai-tasks-urgent', 'ai-tasks', 'ai-tasks-urgent'])
    await feed('worker', lane, 'nonsense')
  await feed('notify', 'ai-task-notifications', 'nonsense')
  await http('tasks', `POST /api/tasks/${await create()}/cancel`)
  await http('tasks', `POST /api/tasks/${done}/retry`)
  for (const path of ['', '/filter?q=word', '/analytics', `/${done}`, `/${done}/events`])
    await http('tasks', `GET /api/tasks${path}`)
  await http('tasks', 'POST /api/tasks/import', await http('tasks', 'GET /api/tasks/export'))
  await http('queue', 'GET /api/queue/status')
  const { items } = await http('queue', 'GET /api/dlq')
  for (const { id, taskId } of items)
    await http('queue', `POST /api/dlq/${id}/${taskId === 'unknown' ? 'discard' : 'retry'}`)
  const lost = encode({ body: { taskId: await create(), attempt: 1 }, priority: 3 })
  const unknown = encode({ body: { taskId: 'task_none', attempt: 1 }, priority: 3 })
  await feed('dlq', 'ai-tasks-dlq', lost, unknown, 'nonsense')
  await invoke('tick', {})
  for (const path of ['', '/types']) await http('agents', `GET /api/agents${path}`)
  for (const path of ['', '/ready', '/detailed', '/metrics']) await http('health', `GET /api/health${path}`)
  await http('openapi', 'GET /api/openapi.json')
  const { notifications } = await http('notifications', 'GET /api/notifications')
  for (const { id } of notifications) await http('notifications', `POST /api/notifications/${id}/read`)
  await http('notifications', 'POST /api/notifications/read-all')
}

/** The container's program is a process of its own. */
const useStream = async () => {
  const { env, uses, stop } = await cloud.environmentOf()
  const program = await startProgram(['functions/agentic/server.ts'], env)
  const { taskCount } = (await (await fetch(`${program.url}/api/tasks/export`)).json()) as {
    taskCount: number
  }
  expect(taskCount).toBeGreaterThan(0)
  await program.stop()
  stop()
  return uses()
}

beforeAll(async () => {
  process.env.AGENT_ADAPTERS = 'test/fixtures/agents/moody.ts'
  // Configured, so that no demo model is started; nobody asks it anything.
  process.env.OLLAMA_MODEL = 'none'
  process.env.QUEUE_RETRY_ATTEMPTS = '2'
  process.env.QUEUE_RETRY_BACKOFF_MS = '0'
  template = printStage('dev').resources
  cloud = await startCloud()
  functions = loadFunctions(cloud)
  await useEverything()
  streamed = await useStream()
}, 120_000)
afterAll(async () => {
  functions?.stop()
  await cloud?.stop()
})

/** What a role allows of storage and queues, in the words in which it was noted what the function did. */
const allowedTo = (name: string): string[] => {
  const role = `${name.charAt(0).toUpperCase()}${name.slice(1)}Role`
  return statementsOf(template, role).flatMap(({ Action, Resource }) =>
    Action.filter((action) => /^(dynamodb|sqs|s3):/.test(action)).flatMap((action) =>
      Resource.map((resource) => `${action} ${placeOf(resource)}`.trim()),
    ),
  )
}

/** `t-tasks/index`, `ai-tasks`, `rows/tasks`, or nothing for the bucket itself. */
const placeOf = (resource: unknown): string => {
  const [logical = ''] = referencesIn(resource)
  const { TableName, QueueName } = template.Resources[logical]?.Properties ?? {}
  const within = String((resource as { 'Fn::Sub'?: string })['Fn::Sub'] ?? '').replace(
    /^\$\{.+?\}\/?|\/\*$/g,
    '',
  )
  return [String(TableName ?? QueueName ?? '').replace(PREFIX, ''), within].filter(Boolean).join('/')
}

const usesOf = (name: string) => (name === 'agentic' ? streamed : functions.usesOf(name))
const placesOf = (uses: readonly string[]) => new Set(uses.map((use) => use.split(' ')[1]))

describe('the rights of a function', () => {
  it.each(FUNCTIONS)('of %s are enough for what it does', (name) => {
    const allowed = new Set(allowedTo(name))
    expect(usesOf(name).filter((use) => !allowed.has(use))).toEqual([])
  })

  // What the tick repairs is minutes old, and nothing here is.
  it.each(FUNCTIONS.filter((name) => name !== 'tick'))(
    'of %s reach no table, index, queue or folder that it has no use for',
    (name) => {
      // Lambda takes messages by the rights of the function that it feeds; a bucket is listed by nobody.
      const own = allowedTo(name).filter((right) => !/^sqs:(?!SendMessage)|^s3:ListBucket/.test(right))
      const used = placesOf(usesOf(name))
      expect([...placesOf(own)].filter((place) => !used.has(place))).toEqual([])
    },
  )
})
