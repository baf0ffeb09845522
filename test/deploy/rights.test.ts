import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { hasDynoxide } from '../../offline/emulators.ts'
import { startProvider, type TestProvider } from '../oauth/provider.ts'
import { secretEnv } from '../webhooks/signed.ts'
import { startCloud } from './cloud.ts'
import { type Functions, loadFunctions } from './functions.ts'
import { printStage } from './serverless.ts'
import { referencesIn, statementsOf, type Template } from './template.ts'
import { useCorrection } from './use-correction.ts'
import { FED, useEverything } from './use-everything.ts'
import { useSeldom } from './use-seldom.ts'
import { useStream } from './use-stream.ts'
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
  await useSeldom(functions, cloud, used.known)
  await useCorrection(functions, cloud)
  streamed = await useStream(functions, cloud, used.known)
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
/** What reads rows by their keys, or an object by its name. Any other verb changes something, reads all, or opens secrets. */
const READS = /^(?:dynamodb:(?:GetItem|BatchGetItem|Query)|s3:(?:GetObject|ListBucket))(?: |$)/

/** Lambda takes messages by the rights of the function that it feeds. */
const takingFor = (name: string) =>
  FED.filter(([fed]) => fed === name).flatMap(([, queue]) =>
    ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map((verb) => `sqs:${verb} ${queue}`),
  )

/** What a function may do and is not seen to do here, each with its reason. */
const UNSEEN: Readonly<Record<string, readonly string[]>> = {
  // A tick may tell of an end before the worker that made it does: its text is laid aside in vain, and removed.
  worker: ['s3:DeleteObject rows/deliveries'],
  // Of an export that breaks off once it is longer than a part of an upload; test/tasks/export-copy.test.ts has it.
  agentic: ['s3:AbortMultipartUpload exports'],
}

/** The emulator of some machines knows no transactions: what DynamoDB puts in one, it is seen to update. */
const INSTEAD: readonly string[] = hasDynoxide() ? [] : ['dlq dynamodb:UpdateItem tasks']

const placesOf = (uses: readonly string[]) => new Set(uses.map((use) => use.split(' ')[1]))

describe('the rights of a function', () => {
  it.each(FUNCTIONS)('of %s are enough for what it does', (name) => {
    const allowed = new Set(allowedTo(name))
    const isMore = (use: string) => !allowed.has(use) && !INSTEAD.includes(`${name} ${use}`)
    expect(usesOf(name).filter((use) => isMore(use) && !use.startsWith('ssm:'))).toEqual([])
  })

  it.each(FUNCTIONS)('of %s have no verb that it does without', (name) => {
    const used = new Set(usesOf(name))
    const unseen = allowedTo(name).filter((right) => !READS.test(right) && !used.has(right))
    expect(unseen.sort()).toEqual([...takingFor(name), ...(UNSEEN[name] ?? [])].sort())
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
