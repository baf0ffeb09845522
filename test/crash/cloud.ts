import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import type { Readable } from 'node:stream'
import { GetQueueAttributesCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { handler as bulk } from '../../functions/bulk.ts'
import { handler as dlq } from '../../functions/dlq.ts'
import { handler as notify } from '../../functions/notify.ts'
import { handler as outbound } from '../../functions/outbound.ts'
import { handler as queueHandler } from '../../functions/queue.ts'
import { handler as tasksHandler } from '../../functions/tasks.ts'
import { handler as tick } from '../../functions/tick.ts'
import { openSqs } from '../../lib/adapters/aws/clients.ts'
import type { SqsEvent } from '../../lib/adapters/aws/sqs/sqs-batch.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createIds } from '../../lib/adapters/node/ids.ts'
import { bulkRoutes } from '../../lib/bulk/contract.ts'
import { readConfig, settingNames } from '../../lib/config/config.ts'
import type { HttpHandler } from '../../lib/http/event.ts'
import { createHost } from '../../lib/http/host.ts'
import { createDispatch } from '../../lib/http/router.ts'
import { outboundWebhookRoutes } from '../../lib/outbound-webhooks/contract.ts'
import { queueRoutes } from '../../lib/queue/contract.ts'
import { taskRoutes } from '../../lib/tasks/contract.ts'
import { every } from '../../lib/worker/beat.ts'
import type { FunctionHandler } from '../../offline/invocation.ts'
import { onLoopback } from '../../offline/loopback.ts'
import { startPoller } from '../../offline/sqs-poller.ts'
import { type Stack, startStack } from '../../offline/stack.ts'
import { compiled } from '../fakes/compiled.ts'
import { createFakeLog } from '../fakes/log.ts'
import { scriptedWorld } from '../journeys/scripted.ts'
import { type Environment, root, serviceNode } from '../journeys/service.ts'

const TICK_MS = 200
/** What a worker took with it comes again this soon; deployed, it is 16 minutes. */
const HIDDEN_S = 3
/** What is left to a tick of its time, always. */
const inTime = { getRemainingTimeInMillis: () => 55_000 }
/** What a worker must be told beside the settings. */
const MORE = [
  ...['HOME', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'SCRIPTED_JOURNAL'],
  ...['STREAM_ARNS', 'STREAM_CHECKPOINTS'],
]

const ENDPOINTS = [
  'DYNAMODB_ENDPOINT',
  'SQS_ENDPOINT',
  'S3_ENDPOINT',
  'TASK_QUEUE_URL',
  'TASK_URGENT_QUEUE_URL',
  'NOTIFICATION_QUEUE_URL',
] as const

/** The address to call instead of an emulator's own. */
type Reach = (origin: string) => Promise<string>

/**
 * The service as it runs in the cloud, on emulators: its task and queue functions behind a gateway, its tick and its
 * notices, and as processes of their own workers, stream consumers and further gateways. The settings are those of this
 * process, which has nothing else to do. `reach` may put something between them and AWS. Without `sendsHere`, tick and
 * notices are left to the senders that are launched.
 */
export const openCloud = async (
  settings: Environment = {},
  reach: Reach = async (url) => url,
  sendsHere = true,
) => {
  const world = scriptedWorld({ SERVICE_MODE: 'pro', LOG_LEVEL: 'error', ...settings })
  Object.assign(process.env, world.env)
  const stack = await startStack(readConfig())
  await hideFor(stack, HIDDEN_S)
  for (const name of ENDPOINTS) {
    const { origin, href } = new URL(process.env[name] ?? '')
    process.env[name] = href.replace(origin, await reach(origin))
  }
  const checkpoints = path.join(mkdtempSync(path.join(tmpdir(), 'streams-')), 'checkpoints.json')
  Object.assign(process.env, { STREAM_ARNS: stack.streams.streams.join(), STREAM_CHECKPOINTS: checkpoints })
  const gateway = await startGateway()
  const log = createFakeLog()
  const endTick = sendsHere
    ? every({ clock: createClock(), log }, 'tick', TICK_MS, () => tick({}, inTime))
    : async () => undefined
  const client = openSqs({ region: process.env.AWS_REGION ?? '', endpoint: process.env.SQS_ENDPOINT })
  const pollers: ReturnType<typeof startPoller>[] = []
  const feed = (url: string, handler: FunctionHandler<SqsEvent>, batchSize = 1) => {
    const queueUrl = url.replace(new URL(url).origin, process.env.SQS_ENDPOINT ?? '')
    pollers.push(startPoller({ client, queueUrl, batchSize, concurrency: 1, handler, log }))
  }
  if (sendsHere) feed(stack.queues.notifications, notify, 10)
  const processes: CloudProcess[] = []
  const launched = <P extends CloudProcess>(one: P): P => {
    processes.push(one)
    return one
  }
  const stop = async () => {
    await Promise.all(processes.map((one) => one.kill9()))
    await Promise.all(pollers.map((poller) => poller.stop()))
    client.destroy()
    await endTick()
    await gateway.stop()
    await stack.stop()
    rmSync(path.dirname(checkpoints), { recursive: true })
    world[Symbol.dispose]()
  }
  return {
    stack,
    baseUrl: gateway.url,
    journal: world.journal,
    log,
    /** The tick, again and again: beside that of this process. */
    launchTick: () => launched(launch('cloud-tick.ts')),
    /** The notices, and the tick as often as it ends. */
    launchSender: (nodeArgs: readonly string[] = []) => launched(launch('cloud-sender.ts', nodeArgs)),
    launchWorker: () => launched(launch('cloud-worker.ts')),
    launchConsumer: () => launched(launchConsumer()),
    launchGateway: () => launched(launchGateway()),
    /** Has SQS give up a message after so many receives, and takes in what it gave up on. */
    takeDeadLetters: async (receives: number): Promise<void> => {
      await giveUpAfter(stack, receives)
      feed(stack.queues.deadLetters, dlq)
      feed(stack.queues.notificationDeadLetters, dlq)
    },
    [Symbol.asyncDispose]: stop,
  }
}

/** Deployed, it is ten receives, which take nine minutes. */
const giveUpAfter = async ({ sqs, queues }: Stack, maxReceiveCount: number) => {
  const read = { QueueUrl: queues.deadLetters, AttributeNames: ['QueueArn' as const] }
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand(read))
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount })
  for (const QueueUrl of [queues.tasks, queues.urgent])
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { RedrivePolicy } }))
}

/** Whatever is received and not deleted comes again after so many seconds, what was given up on included. */
const hideFor = ({ sqs, queues }: Stack, seconds: number) =>
  Promise.all(
    Object.values(queues).map((QueueUrl) =>
      sqs.send(
        new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout: String(seconds) } }),
      ),
    ),
  )

/** Of two routes that fit, the HTTP API takes the one without a parameter. */
const orBulk =
  (handler: typeof bulk): typeof bulk =>
  (event, context) =>
    event.requestContext.http.path.endsWith('/bulk') ? bulk(event, context) : handler(event, context)

/** Bytes come from a function in base64, and go out as they are. */
const decoding =
  (handler: typeof bulk): HttpHandler =>
  async (event, context) => {
    const answer = await handler(event, context)
    return answer.isBase64Encoded ? { ...answer, body: Buffer.from(answer.body, 'base64') } : answer
  }

/** The functions behind HTTP, as API Gateway calls them. */
export const startGateway = async () => {
  const { getBulk, cancelBulk } = bulkRoutes
  const groups = [
    { routes: taskRoutes, handler: decoding(orBulk(tasksHandler)) },
    { routes: queueRoutes, handler: decoding(orBulk(queueHandler)) },
    { routes: { getBulk, cancelBulk }, handler: decoding(bulk) },
    { routes: outboundWebhookRoutes, handler: decoding(outbound) },
  ]
  const dispatch = createDispatch(groups, decoding(tasksHandler))
  const server = createHost({ dispatch, ids: createIds({ clock: createClock() }), log: createFakeLog() })
  return onLoopback(server)
}

export type Cloud = Awaited<ReturnType<typeof openCloud>>
/** `freeze` has it stand still, as a container is between invocations, and `thaw` go on. */
export type CloudProcess = {
  ready: Promise<void>
  pid: number
  freeze(): void
  thaw(): void
  kill9(): Promise<void>
}

/** Starts a program and waits for nothing. It sees the settings of this process, and no other variable. */
const launchChild = (
  file: string,
  nodeArgs: readonly string[] = [],
): CloudProcess & { child: ChildProcess; said: Promise<string> } => {
  const told = [...settingNames, ...MORE].map((name) => [name, process.env[name]])
  const env = { ...compiled, ...Object.fromEntries(told) }
  const child = spawn(serviceNode, [...nodeArgs, path.join(root, 'test/crash', file)], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const said = Promise.race([once(child.stdout as Readable, 'data').then(String), exited.then(fallen)])
  // One that is killed while it starts is never ready, and nobody may be waiting.
  said.catch(() => undefined)
  const ready = said.then(() => undefined)
  ready.catch(() => undefined)
  const kill9 = async () => {
    if (!isOver()) child.kill('SIGKILL')
    await exited
  }
  return {
    child,
    said,
    ready,
    kill9,
    pid: child.pid ?? 0,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  }
}

const launch = (file: string, nodeArgs: readonly string[] = []): CloudProcess => launchChild(file, nodeArgs)

/** `fed` resolves with its first records, `drained` when everything that was written before the call is through. */
const launchConsumer = () => {
  const { child, ...process } = launchChild('cloud-consumer.ts')
  const asked: (() => void)[] = []
  const { promise: fed, resolve: hasRecords } = Promise.withResolvers<void>()
  child.on('message', (told) => (told === 'fed' ? hasRecords() : asked[Number(told)]?.()))
  const drained = async (): Promise<void> => {
    await process.ready
    await new Promise<void>((resolve) => {
      child.send(asked.push(resolve) - 1)
    })
  }
  return { ...process, fed, drained }
}

/** `address` is undefined until it listens. */
const launchGateway = () => {
  const { said, ...process } = launchChild('cloud-gateway.ts')
  let url: string | undefined
  said.then(
    (text) => {
      url = text.trim()
    },
    () => undefined,
  )
  return { ...process, address: () => url }
}

const fallen = ([code, signal]: unknown[]): never => {
  throw new Error(`A process ended before it was ready: ${code ?? signal}`)
}
