import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { collections } from '../../lib/collections.ts'
import { hasDynoxide } from '../../offline/emulators.ts'
import { temporaryFolder } from '../journeys/service.ts'
import { startProvider, type TestProvider } from '../oauth/provider.ts'
import { secretEnv } from '../webhooks/signed.ts'
import { startCloud } from './cloud.ts'
import { FUNCTIONS } from './function-names.ts'
import { type Functions, loadFunctions } from './functions.ts'
import { printStage } from './serverless.ts'
import { policyStatements, referencesIn, type Template } from './template.ts'
import { FED, useEverything } from './use-everything.ts'
import { useReports, useTicket } from './use-reports.ts'
import { useSeldom } from './use-seldom.ts'
import { useStream } from './use-stream.ts'
import { useTick } from './use-tick.ts'
import { startModel } from './use-tools.ts'

const PREFIX = 'agent-task-service-dev-'

let cloud: Awaited<ReturnType<typeof startCloud>>
let provider: TestProvider
let functions: Functions
let template: Template
let streamed: string[]
let model: Awaited<ReturnType<typeof startModel>>
let folder: ReturnType<typeof temporaryFolder>

const roleName = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}Role`

/** What a role allows of tables, queues, files and the key, in the words in which it was noted what the function did. */
const allowedTo = (name: string): string[] => {
  return policyStatements(template, roleName(name)).flatMap(({ Action, Resource }) =>
    Action.filter((action) => /^(dynamodb|sqs|s3|kms):/.test(action)).flatMap((action) =>
      Resource.map((resource) => `${action} ${resourcePlace(resource)}`.trim()),
    ),
  )
}

/** `tasks/index`, `ai-tasks`, `rows/tasks`, or nothing for the bucket itself and the key. */
const resourcePlace = (resource: unknown): string => {
  const [logical = ''] = referencesIn(resource)
  const { TableName, QueueName } = template.Resources[logical]?.Properties ?? {}
  const within = String((resource as { 'Fn::Sub'?: string })['Fn::Sub'] ?? '').replace(
    /^\$\{.+?\}\/?|\/\*$/g,
    '',
  )
  return [String(TableName ?? QueueName ?? '').replace(PREFIX, ''), within].filter(Boolean).join('/')
}

const functionUses = (name: string) => (name === 'agentic' ? streamed : functions.notedUses(name))
/** What reads rows by their keys, or an object by its name. Any other verb changes something, reads all, or opens secrets. */
const READS = /^(?:dynamodb:(?:GetItem|BatchGetItem|Query)|s3:(?:GetObject|ListBucket))(?: |$)/

/** What the bucket fills, which its emulator does not. */
const BY_BUCKET = [['memory', 'memory-events']] as const

/** By the rights of the function that it feeds, Lambda takes messages and reads streams, and hands on what fails. */
const feedUses = (name: string): string[] => {
  if (name === 'stream') {
    const verbs = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams']
    const streams = streamedTables.flatMap((table) => verbs.map((verb) => `dynamodb:${verb} ${table}`))
    return [...streams, 'sqs:SendMessage stream-failures']
  }
  return [...FED, ...BY_BUCKET]
    .filter(([fed]) => fed === name)
    .flatMap(([, queue]) =>
      ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map((verb) => `sqs:${verb} ${queue}`),
    )
}
const streamedTables = collections
  .filter(({ counts, sends, publishes }) => counts || sends || publishes)
  .map(({ name }) => name)

const placesOf = (...actions: string[]) => actions.map((action) => `dynamodb:${action} places`)
const WAITS_LEFT = ['dynamodb:DeleteItem placeWaits']
/** Of a browser that a paired device has subscribed: it is noted when a device was seen. */
const DEVICE_SEEN = 'dynamodb:UpdateItem pairings'

/** Whoever repeats the message of a task may do so for one that is left to runners; `stream` is seen to. */
const TO_RUNNERS = ['sqs:SendMessage ai-tasks-runners', 'sqs:SendMessage ai-tasks-runners-urgent']

/** What a function may do and is not seen to do here, each with its reason. */
const UNSEEN: Readonly<Record<string, readonly string[]>> = {
  queue: TO_RUNNERS,
  // Of a budget that a task waits for, and that is lowered meanwhile; test/budgets has it.
  // Of places under caps of concurrent tasks; no cap is set here, test/worker has them.
  // Of a message to a browser that its push service did not take at once; test/alerts has it.
  tick: [
    'dynamodb:PutItem budgetNotices',
    'dynamodb:DeleteItem pushSubscriptions',
    DEVICE_SEEN,
    ...placesOf('UpdateItem', 'DeleteItem'),
    ...WAITS_LEFT,
    ...TO_RUNNERS,
  ],
  // Of tokens of the code host that run out, which are renewed and sealed again; those of this test do not. Of the first
  // experience of all, which the worker may record; here it is another one's.
  // Of a provider whose usage limit is reached; test/holds has it.
  worker: [
    ...['dynamodb:UpdateItem linkedAccounts', 'kms:GenerateDataKey', 'dynamodb:PutItem memoryState'],
    ...['dynamodb:PutItem holds', 'dynamodb:UpdateItem holds'],
    ...placesOf('PutItem', 'UpdateItem'),
    ...['dynamodb:PutItem placeWaits', ...WAITS_LEFT],
    // Of an urgent task of a runner that goes on after a decision.
    'sqs:SendMessage ai-tasks-runners-urgent',
  ],
  // As of the worker, which has also told here that costs are unknown; of a task with many events.
  runners: [
    ...['dynamodb:UpdateItem linkedAccounts', 'kms:GenerateDataKey', 'dynamodb:PutItem memoryState'],
    ...['dynamodb:UpdateItem holds', 'dynamodb:PutItem budgetNotices', 'dynamodb:PutItem taskEvents'],
    // Of an approval without long texts, which is withdrawn.
    'dynamodb:UpdateItem approvals',
    ...placesOf('PutItem', 'UpdateItem'),
    ...['dynamodb:PutItem placeWaits', ...WAITS_LEFT],
  ],
  // Of an event that asked for nothing when it came first, and does so now: what a label means was changed in between.
  webhooks: ['dynamodb:UpdateItem inboundEvents'],
  // Of a redelivery that another process does at the same time: the long texts of an attempt that was not stored.
  outbound: ['s3:DeleteObject rows/deliveries'],
  // Of a schedule that is deleted while it is run: the long texts of a task that was not stored.
  schedules: ['s3:DeleteObject rows/tasks'],
  // Of an export that breaks off once it is longer than a part of an upload; test/tasks/export-copy.test.ts has it.
  // Of a provider whose usage limit is reached, as of the worker.
  // Of a budget that a chat has reached; test/budgets has it.
  agentic: [
    's3:AbortMultipartUpload exports',
    'dynamodb:PutItem holds',
    'dynamodb:UpdateItem holds',
    'dynamodb:PutItem budgetNotices',
  ],
  // Of notifications of a clock that ran ahead; test/app/wrong-clock.test.ts has it.
  notify: [
    ...['dynamodb:UpdateItem notifications', DEVICE_SEEN, ...placesOf('UpdateItem')],
    ...[...WAITS_LEFT, ...TO_RUNNERS],
  ],
  dlq: [
    ...['dynamodb:UpdateItem notifications', DEVICE_SEEN, ...placesOf('UpdateItem')],
    ...[...WAITS_LEFT, ...TO_RUNNERS],
  ],
}

/**
 * What is used where several ask the same at once, and all but one come too late: they remove the long texts of the task that
 * was not stored. On a busy machine they may come one after the other.
 */
const RACING: Readonly<Record<string, readonly string[]>> = {
  gateway: ['s3:DeleteObject rows/tasks'],
  agentic: ['s3:DeleteObject rows/tasks'],
}

/** Places that a function reads in cases that are not seen here. */
const SELDOM_READ: Readonly<Record<string, readonly string[]>> = {
  // Of a call that waits for approval, about which a browser is told; of a message that its push service did not take at once.
  // test/alerts has both.
  notify: ['approvals', 'rows/approvals'],
  dlq: ['approvals', 'rows/approvals'],
  tick: ['alertKeys', 'sessions', 'users'],
}

const usedPlaces = (uses: readonly string[]) => new Set(uses.map((use) => use.split(' ')[1]))

// An emulator without streams and transactions does not do what is deployed.
const describeHere = hasDynoxide() ? describe : describe.skip
if (!hasDynoxide())
  console.error(
    'The rights of functions are not tested: dynoxide is not installed here, and dynalite has no transactions',
  )

describeHere('the rights of a function', () => {
  beforeAll(async () => {
    process.env.AGENT_ADAPTERS = 'test/fixtures/agents/moody.ts'
    model = await startModel()
    folder = temporaryFolder()
    // Without a sandbox, git of the coding agent runs on every machine.
    const run = { ...model.env, WORKSPACES_DIR: folder.in('worker'), AGENT_SANDBOX: 'off' }
    Object.assign(process.env, run)
    process.env.QUEUE_RETRY_ATTEMPTS = '2'
    process.env.QUEUE_RETRY_BACKOFF_MS = '0'
    // A budget that is not reached: the worker reads what was spent, and tells that costs are unknown.
    process.env.BUDGET_MONTHLY_USD = '1000'
    template = printStage('dev').resources
    provider = await startProvider()
    provider.register('http://localhost')
    cloud = await startCloud({
      ...provider.env(),
      ...secretEnv,
      CODEHOST_GIT_URL: 'https://127.0.0.1:9',
    })
    functions = loadFunctions(cloud)
    const used = await useEverything(functions, provider)
    await useTick(functions, cloud, used.token)
    const world = { functions, cloud, provider, known: used.known }
    await useReports(world)
    await useSeldom(functions, cloud, used.known)
    // Functions share no disk.
    const stream = { ...run, WORKSPACES_DIR: folder.in('stream'), WORKSPACE_TTL_HOURS: '0' }
    streamed = await useStream(functions, cloud, used.known, stream, (url) => useTicket(world, url))
  }, 600_000)
  afterAll(async () => {
    functions?.stop()
    await cloud?.stop()
    await provider?.[Symbol.asyncDispose]()
    await model?.close()
    folder?.[Symbol.dispose]()
  })

  it('are used by turns of which each finds a disk without the files of others', () => {
    expect(readdirSync(folder.in('stream'))).toHaveLength(1)
  })

  it.each(FUNCTIONS)('of %s are enough for what it does', (name) => {
    const allowed = new Set(allowedTo(name))
    expect(functionUses(name).filter((use) => !allowed.has(use) && !use.startsWith('ssm:'))).toEqual([])
  })

  it.each(FUNCTIONS)('of %s have no verb that it does without', (name) => {
    const used = new Set(functionUses(name))
    const isSeldom = (right: string) => READS.test(right) || RACING[name]?.includes(right)
    const unseen = allowedTo(name).filter((right) => !isSeldom(right) && !used.has(right))
    expect(unseen.sort()).toEqual([...feedUses(name), ...(UNSEEN[name] ?? [])].sort())
  })

  it.each(FUNCTIONS)('of %s reach no table, index, queue or folder that it has no use for', (name) => {
    const feeding = new Set(feedUses(name))
    // A bucket is listed by nobody, and messages are brought back by whoever takes them.
    const isOwn = (right: string) => !feeding.has(right) && !/^sqs:Change|^s3:ListBucket/.test(right)
    const own = allowedTo(name).filter(isOwn)
    const used = usedPlaces([...functionUses(name), ...(UNSEEN[name] ?? [])])
    const unused = [...usedPlaces(own)].filter((place) => !used.has(place))
    expect(unused).toEqual(SELDOM_READ[name] ?? [])
  })

  it.each(FUNCTIONS)('of %s to the key and to parameters are those that it uses', (name) => {
    const isOurs = (action: string) => /^(kms|ssm):/.test(action)
    const allowed = policyStatements(template, roleName(name)).flatMap(({ Action }) => Action.filter(isOurs))
    // It looks for names of parameters, which no stack on emulators has; see providers.test.ts.
    const seen = [...functionUses(name), ...(UNSEEN[name] ?? [])].filter(isOurs)
    const used = name === 'agents' ? ['ssm:DescribeParameters'] : seen
    expect(allowed.sort()).toEqual(used.sort())
  })
})
