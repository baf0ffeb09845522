import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { startProvider, type TestProvider } from '../oauth/provider.ts'
import { secretEnv } from '../webhooks/signed.ts'
import { startCloud } from './cloud.ts'
import { type Functions, loadFunctions } from './functions.ts'
import { startProgram } from './program.ts'
import { printStage } from './serverless.ts'
import { referencesIn, statementsOf, type Template } from './template.ts'
import { useEverything } from './use-everything.ts'
import { useTick } from './use-tick.ts'

const HTTP = [
  ...['tasks', 'queue', 'agents', 'notifications', 'auth', 'devices', 'settings', 'gateway'],
  ...['webhooks', 'memory', 'health', 'openapi', 'ui'],
]
const FUNCTIONS = [...HTTP, 'worker', 'notify', 'dlq', 'tick', 'agentic']
const PREFIX = 'agent-task-service-dev-'

let cloud: Awaited<ReturnType<typeof startCloud>>
let provider: TestProvider
let functions: Functions
let template: Template
let streamed: string[]

/** A request that asks to wait for a task which nobody runs, and to be told of its end. */
const patience = (priority: number) => ({
  task: { title: 'Task', prompt: 'word '.repeat(10_000), priority },
  options: { synchronous: true, timeout: 10, notifyUrl: 'http://127.0.0.1:9/', notifySecret: 'secret' },
})

/** The container's program is a process of its own. */
const useStream = async ({ known, token }: Awaited<ReturnType<typeof useEverything>>) => {
  const { env, uses, stop } = await cloud.environmentOf()
  const program = await startProgram(['functions/agentic/server.ts'], env)
  const ask = async (path: string, init: RequestInit) => (await fetch(program.url + path, init)).json()
  expect(await ask('/api/tasks/export', { headers: known })).toMatchObject({ version: '1.0' })
  for (const priority of [1, 3]) {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': `stream-${priority}`,
    }
    const init = { method: 'POST', headers, body: JSON.stringify(patience(priority)) }
    expect(await ask('/api/gateway', init)).toMatchObject({ status: 'queued' })
  }
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
  provider = await startProvider()
  provider.register('http://localhost')
  cloud = await startCloud({ ...provider.env(), ...secretEnv })
  functions = loadFunctions(cloud)
  const used = await useEverything(functions, provider)
  await useTick(functions, cloud, used.token)
  streamed = await useStream(used)
}, 120_000)
afterAll(async () => {
  functions?.stop()
  await cloud?.stop()
  await provider?.[Symbol.asyncDispose]()
})

const roleOf = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}Role`

/** What a role allows of tables, queues, files and the key, in the words in which it was noted what the function did. */
const allowedTo = (name: string): string[] => {
  return statementsOf(template, roleOf(name)).flatMap(({ Action, Resource }) =>
    Action.filter((action) => /^(dynamodb|sqs|s3|kms):/.test(action)).flatMap((action) =>
      Resource.map((resource) => `${action} ${placeOf(resource)}`.trim()),
    ),
  )
}

/** `tasks/index`, `ai-tasks`, `rows/tasks`, or nothing for the bucket itself and the key. */
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
    expect(usesOf(name).filter((use) => !allowed.has(use) && !use.startsWith('ssm:'))).toEqual([])
  })

  it.each(FUNCTIONS)('of %s reach no table, index, queue or folder that it has no use for', (name) => {
    // Lambda takes messages by the rights of the function that it feeds; a bucket is listed by nobody.
    const own = allowedTo(name).filter((right) => !/^sqs:(?!SendMessage)|^s3:ListBucket/.test(right))
    const used = placesOf(usesOf(name))
    expect([...placesOf(own)].filter((place) => !used.has(place))).toEqual([])
  })

  it.each(FUNCTIONS)('of %s to the key and to parameters are those that it uses', (name) => {
    const isOurs = (action: string) => /^(kms|ssm):/.test(action)
    const allowed = statementsOf(template, roleOf(name)).flatMap(({ Action }) => Action.filter(isOurs))
    // It looks for names of parameters, which no stack on emulators has; see providers.test.ts.
    const used = name === 'agents' ? ['ssm:DescribeParameters'] : usesOf(name).filter(isOurs)
    expect(allowed.sort()).toEqual(used.sort())
  })
})
