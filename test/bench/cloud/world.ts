import * as path from 'node:path'
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { openDynamoDb } from '../../../lib/adapters/aws/clients.ts'
import { createDynamoStore } from '../../../lib/adapters/aws/dynamodb/store.ts'
import type { DynamoDBStreamEvent } from '../../../lib/adapters/aws/dynamodb/stream.ts'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { tableNames } from '../../../lib/app/cloud-ports.ts'
import { collections } from '../../../lib/collections.ts'
import { type Config, readConfig, settingNames } from '../../../lib/config/config.ts'
import { type Stack, startStack } from '../../../offline/stack.ts'
import { createStreams } from '../../../offline/streams.ts'
import { root } from '../../deploy/serverless.ts'
import { httpEvent } from '../../fakes/http-event.ts'
import { type Invoked, startFunction } from './invoked.ts'
import { add, startMeter, type Units } from './meter.ts'

/** Records of a batch, as resources/streams.ts has it. */
const BATCH = 100
const SETTINGS = {
  SERVICE_MODE: 'pro',
  // As it is deployed.
  AUTH_MODE: 'cloud',
  TABLE_PREFIX: 'bench-',
  AGENT_ADAPTERS: path.join(import.meta.dirname, 'agent.ts'),
  DEFAULT_AGENT: 'bench',
  // A provider that nobody calls, lest the worker starts a demo model.
  OPENAI_API_KEY: 'unused',
}
const MORE = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']
/** The function that is deployed as an image runs from its sources there as well. */
const WORKER = path.join(root, 'functions/worker.ts')

type Environment = Record<string, string>
export type World = Awaited<ReturnType<typeof openWorld>>

/** Processes of functions under one environment, each started when it is first asked for. */
const createFleet = (env: Environment, functionFile: (name: string) => string) => {
  const functions = new Map<string, Promise<Invoked>>()
  return {
    function: (name: string): Promise<Invoked> => {
      const started = functions.get(name) ?? startFunction(functionFile(name), env)
      functions.set(name, started)
      return started
    },
    stop: async () => {
      await Promise.all(Array.from(functions.values(), async (started) => (await started).stop()))
    },
  }
}

/** An environment whose way to the emulators leads through meters. */
const metered = async (env: Environment) => {
  const origins = [...new Set(Object.values(env).flatMap((value) => /^http:\/\/[^/]+/.exec(value) ?? []))]
  const meters = await Promise.all(
    origins.map(async (origin) => ({ origin, meter: await startMeter(origin) })),
  )
  const led = (value: string) =>
    meters.reduce((text, { origin, meter }) => text.replace(origin, meter.url), value)
  return {
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, led(value)])),
    take: (): Units =>
      meters.map(({ meter }) => meter.take()).reduce(add, { read: 0, write: 0, sqs: 0, s3: 0 }),
    stop: () => {
      for (const { meter } of meters) meter.stop()
    },
  }
}

/** Signs the first person up, who is the admin; answers what requests of that person carry. */
const signUp = async (auth: Invoked): Promise<{ authorization: string }> => {
  const body = { email: 'bench@example.com', password: 'correct horse 1', name: 'Bench' }
  const { answer } = await auth.invoke(httpEvent('POST /api/auth/signup', body))
  const { headers } = answer as { headers: Record<string, string> }
  return { authorization: `Bearer ${/=([^;]+)/.exec(headers['set-cookie'] ?? '')?.[1]}` }
}

/** The next message of a queue, hidden from then on. */
const receiver =
  ({ sqs }: Stack) =>
  async (QueueUrl: string): Promise<string> => {
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 2 }))
    const text = Messages?.[0]?.Body
    if (text === undefined) throw new Error(`Nothing waits in ${QueueUrl}`)
    return text
  }

/** What tables have changed since it was last asked, as events of the stream function with so many records at most. */
const createChangeReader = ({ streams: { endpoint, streams } }: Stack) => {
  const { shards, start, read } = createStreams(endpoint)
  const iterators = new Map<string, string>()
  return async (batchSize: number): Promise<DynamoDBStreamEvent[]> => {
    const events: DynamoDBStreamEvent[] = []
    for (const eventSourceARN of streams)
      for (const { ShardId: shardId } of await shards(eventSourceARN)) {
        const from = iterators.get(shardId) ?? (await start(eventSourceARN, shardId))
        const { records, next = from } = await read(from, batchSize)
        iterators.set(shardId, next)
        const Records = records.map((record) => ({ ...record, eventSourceARN }))
        if (Records.length > 0) events.push({ Records, shardId })
      }
    return events
  }
}

/** A store beside the functions, which nobody meters. */
const openBeside = ({ AWS_REGION: region, DYNAMODB_ENDPOINT: endpoint, TABLE_PREFIX }: Config) => {
  const client = openDynamoDb({ region, endpoint })
  const needs = { client, collections, clock: createClock(), random: Math.random }
  return {
    store: createDynamoStore({ ...needs, tableName: tableNames(TABLE_PREFIX) }),
    close: () => client.destroy(),
  }
}

/**
 * The functions as they are deployed, on emulators: once directly, to see how long they take, and once behind meters, to
 * see what they ask for. `bundleFile` names the file of a function's bundle.
 */
export const openWorld = async ({ bundleFile }: { bundleFile(name: string): string }) => {
  Object.assign(process.env, SETTINGS)
  const stack = await startStack(readConfig())
  const config = readConfig()
  const names = [...settingNames, ...MORE].filter((name) => process.env[name] !== undefined)
  const env: Environment = Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']))
  const beside = openBeside(config)
  const functionFile = (name: string) => (name === 'worker' ? WORKER : bundleFile(name))
  const through = await metered(env)
  const apart = await metered(env)
  const fleets = {
    direct: createFleet(env, functionFile),
    metered: createFleet(through.env, functionFile),
    apart: createFleet(apart.env, functionFile),
  }
  const changes = createChangeReader(stack)
  /** Hands all changes to a stream function, so many at once as a batch has. */
  const drain = async (stream: Invoked, batchSize = BATCH): Promise<void> => {
    for (let events = await changes(batchSize); events.length > 0; events = await changes(batchSize))
      for (const event of events) await stream.invoke(event)
  }
  const known = await signUp(await fleets.direct.function('auth'))
  return {
    ...fleets,
    /** What a request carries of somebody who is signed in. */
    known,
    /** What the functions of `metered`, and those of `apart`, asked for since it was last called. */
    taken: through.take,
    takenApart: apart.take,
    start: (name: string) => startFunction(functionFile(name), env),
    changes,
    drain,
    store: beside.store,
    receive: receiver(stack),
    queues: stack.queues,
    stop: async () => {
      await Promise.all(Object.values(fleets).map((fleet) => fleet.stop()))
      through.stop()
      apart.stop()
      beside.close()
      await stack.stop()
    },
  }
}
