import * as path from 'node:path'
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { openDynamoDb } from '../../../lib/adapters/aws/clients.ts'
import { createDynamoStore } from '../../../lib/adapters/aws/dynamodb/store.ts'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { tableNames } from '../../../lib/app/cloud-base.ts'
import { collections } from '../../../lib/collections.ts'
import { type Config, readConfig, settingNames } from '../../../lib/config.ts'
import { type Stack, startStack } from '../../../offline/stack.ts'
import { body, principal, tasksOn } from '../../adapters/dynamodb/life.ts'
import { root } from '../../deploy/serverless.ts'
import { httpEvent } from '../../fakes/http-event.ts'
import { type Invoked, startFunction } from './invoked.ts'
import { add, startMeter, type Units } from './meter.ts'

const TOGETHER = 100
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
const createFleet = (env: Environment, fileOf: (name: string) => string) => {
  const functions = new Map<string, Promise<Invoked>>()
  return {
    function: (name: string): Promise<Invoked> => {
      const started = functions.get(name) ?? startFunction(fileOf(name), env)
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

/** So many tasks that wait, so that pages and counts are those of a table that is in use. */
const fill = async (config: Config, count: number) => {
  const client = openDynamoDb({ region: config.AWS_REGION, endpoint: config.DYNAMODB_ENDPOINT })
  const tableName = tableNames(config.TABLE_PREFIX)
  const needs = { client, collections, clock: createClock(), random: Math.random, tableName }
  const tasks = tasksOn(createDynamoStore(needs))
  for (let made = 0; made < count; made += TOGETHER)
    await Promise.all(Array.from({ length: TOGETHER }, () => tasks.create(principal, body())))
  client.destroy()
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

/**
 * The functions as they are deployed, on emulators, over a table of `tasks` tasks: once directly, to see how long they
 * take, and once behind meters, to see what they ask for. `bundleOf` names the file of a function's bundle.
 */
export const openWorld = async ({ tasks, bundleOf }: { tasks: number; bundleOf(name: string): string }) => {
  Object.assign(process.env, SETTINGS)
  const stack = await startStack(readConfig())
  const config = readConfig()
  const names = [...settingNames, ...MORE].filter((name) => process.env[name] !== undefined)
  const env: Environment = Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']))
  await fill(config, tasks)
  const fileOf = (name: string) => (name === 'worker' ? WORKER : bundleOf(name))
  const through = await metered(env)
  const apart = await metered(env)
  const fleets = {
    direct: createFleet(env, fileOf),
    metered: createFleet(through.env, fileOf),
    apart: createFleet(apart.env, fileOf),
  }
  const known = await signUp(await fleets.direct.function('auth'))
  return {
    ...fleets,
    /** What a request carries of somebody who is signed in. */
    known,
    /** What the functions of `metered`, and those of `apart`, asked for since it was last called. */
    taken: through.take,
    takenApart: apart.take,
    start: (name: string) => startFunction(fileOf(name), env),
    receive: receiver(stack),
    queues: stack.queues,
    stop: async () => {
      await Promise.all(Object.values(fleets).map((fleet) => fleet.stop()))
      through.stop()
      apart.stop()
      await stack.stop()
    },
  }
}
