import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as path from 'node:path'
import { GetQueueAttributesCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { handler as dlq } from '../../functions/dlq.ts'
import { handler as queueHandler } from '../../functions/queue.ts'
import { handler as tasksHandler } from '../../functions/tasks.ts'
import { handler as tick } from '../../functions/tick.ts'
import { openSqs } from '../../lib/adapters/aws/clients.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createIds } from '../../lib/adapters/node/ids.ts'
import { readConfig, settingNames } from '../../lib/config.ts'
import { createDispatch } from '../../lib/http/dispatch.ts'
import { createHost } from '../../lib/http/host.ts'
import { queueRoutes } from '../../lib/queue/contract.ts'
import { taskRoutes } from '../../lib/tasks/contract.ts'
import { every } from '../../lib/worker/beat.ts'
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
const MORE = ['HOME', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'SCRIPTED_JOURNAL']

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
 * The service as it runs in the cloud, on emulators: its task and queue functions behind a gateway, its tick, and
 * workers that are processes of their own. The settings are those of this process, which has nothing else to do.
 * `reach` may put something between them and AWS.
 */
export const openCloud = async (settings: Environment = {}, reach: Reach = async (url) => url) => {
  const world = scriptedWorld({ SERVICE_MODE: 'pro', LOG_LEVEL: 'error', ...settings })
  Object.assign(process.env, world.env)
  const stack = await startStack(readConfig())
  await hideFor(stack, HIDDEN_S)
  for (const name of ENDPOINTS) {
    const { origin, href } = new URL(process.env[name] ?? '')
    process.env[name] = href.replace(origin, await reach(origin))
  }
  const gateway = await startGateway()
  const log = createFakeLog()
  const endTick = every({ clock: createClock(), log }, 'tick', TICK_MS, () => tick({}, inTime))
  const workers: CloudWorker[] = []
  let endDeadLetters: (() => Promise<void>) | undefined
  const stop = async () => {
    await Promise.all(workers.map((worker) => worker.kill9()))
    await endDeadLetters?.()
    await endTick()
    await gateway.stop()
    await stack.stop()
    world[Symbol.dispose]()
  }
  return {
    stack,
    baseUrl: gateway.url,
    journal: world.journal,
    log,
    launchWorker: (): CloudWorker => {
      const worker = launchWorker()
      workers.push(worker)
      return worker
    },
    /** Has SQS give up a message after so many receives, and takes in what it gave up on. */
    takeDeadLetters: async (receives: number): Promise<void> => {
      await giveUpAfter(stack, receives)
      const queueUrl = stack.queues.deadLetters.replace(
        new URL(stack.queues.deadLetters).origin,
        process.env.SQS_ENDPOINT ?? '',
      )
      const client = openSqs({ region: process.env.AWS_REGION ?? '', endpoint: process.env.SQS_ENDPOINT })
      const poller = startPoller({ client, queueUrl, batchSize: 1, concurrency: 1, handler: dlq, log })
      endDeadLetters = async () => {
        await poller.stop()
        client.destroy()
      }
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
    [queues.tasks, queues.urgent, queues.deadLetters].map((QueueUrl) =>
      sqs.send(
        new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout: String(seconds) } }),
      ),
    ),
  )

/** The functions behind HTTP, as API Gateway calls them. */
const startGateway = async () => {
  const groups = [
    { routes: taskRoutes, handler: tasksHandler },
    { routes: queueRoutes, handler: queueHandler },
  ]
  const dispatch = createDispatch(groups, tasksHandler)
  const server = createHost({ dispatch, ids: createIds({ clock: createClock() }), log: createFakeLog() })
  return onLoopback(server)
}

export type Cloud = Awaited<ReturnType<typeof openCloud>>
export type CloudWorker = { ready: Promise<void>; kill9(): Promise<void> }

/** Starts a worker and waits for nothing. It sees the settings of this process, and no other variable. */
const launchWorker = (): CloudWorker => {
  const told = [...settingNames, ...MORE].map((name) => [name, process.env[name]])
  const env = { ...compiled, ...Object.fromEntries(told) }
  const child = spawn(serviceNode, [path.join(root, 'test/crash/cloud-worker.ts')], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const ready = Promise.race([once(child.stdout, 'data'), exited.then(fallen)]).then(() => undefined)
  // One that is killed while it starts is never ready, and nobody may be waiting.
  ready.catch(() => undefined)
  const kill9 = async () => {
    if (!isOver()) child.kill('SIGKILL')
    await exited
  }
  return { ready, kill9 }
}

const fallen = ([code, signal]: unknown[]): never => {
  throw new Error(`The worker ended before it was ready: ${code ?? signal}`)
}
