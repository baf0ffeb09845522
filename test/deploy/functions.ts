import { randomUUID } from 'node:crypto'
import type { Message } from '@aws-sdk/client-sqs'
import { type Config, readConfig } from '../../lib/config/config.ts'
import { sqsRecord } from '../../offline/sqs-event.ts'
import { httpEvent } from '../fakes/http-event.ts'
import type { startCloud } from './cloud.ts'

type Json = Record<string, unknown>
type Headers = Readonly<Record<string, string>>
type Answered = { statusCode: number; headers: Record<string, string>; body: string }
type Cloud = Awaited<ReturnType<typeof startCloud>>
type Environment = Awaited<ReturnType<Cloud['openEnvironment']>>
// biome-ignore lint/suspicious/noExplicitAny: each kind of function takes its own events.
type Handler = (event: any, context: object) => Promise<any>

const CONTEXT = { getRemainingTimeInMillis: () => 60_000 }

/** A message that is in no queue. */
const sqsMessage = (Body: string): Message => ({ MessageId: randomUUID(), ReceiptHandle: 'none', Body })

export type Functions = ReturnType<typeof loadFunctions>

/** The functions of the service, each called with the environment of its own that it reads at its first call. */
export const loadFunctions = (cloud: Cloud) => {
  const environments = new Map<string, Environment>()

  const environmentFor = async (name: string): Promise<Environment> => {
    const environment = environments.get(name) ?? (await cloud.openEnvironment())
    environments.set(name, environment)
    return environment
  }

  const invoke = async (name: string, event: unknown) => {
    Object.assign(process.env, (await environmentFor(name)).env)
    // The page has a folder of its own.
    const module = name === 'ui' ? 'ui/handler' : name
    const { handler } = (await import(`../../functions/${module}.ts`)) as { handler: Handler }
    return handler(event, CONTEXT)
  }

  /** A request as the HTTP API passes it on. */
  const ask = async (
    name: string,
    route: string,
    body?: unknown,
    headers: Headers = {},
  ): Promise<Answered> => {
    const answer = await invoke(name, httpEvent(route, body, headers))
    if (answer.statusCode >= 400) throw new Error(`${route}: ${answer.statusCode} ${answer.body}`)
    return answer
  }

  /** As `ask`; answers the body. */
  const http = async (...call: Parameters<typeof ask>): Promise<Json> => JSON.parse((await ask(...call)).body)

  const deliver = (name: string, queue: string, messages: readonly Message[]) => {
    const arn = `arn:aws:sqs:us-east-1:000000000000:${queue}`
    return invoke(name, { Records: messages.map((message) => sqsRecord(message, arn)) })
  }

  /** Feeds the stream function all that has changed. */
  const drain = async (): Promise<void> => {
    for (let events = await cloud.takeChanges(); events.length > 0; events = await cloud.takeChanges())
      for (const event of events) {
        const { batchItemFailures } = await invoke('stream', event)
        if (batchItemFailures.length > 0) throw new Error(`stream failed ${JSON.stringify(event)}`)
      }
  }

  /** Feeds a function what waits in a queue, that of the latest changes included, and messages of these texts. */
  const feed = async (name: string, queue: string, ...texts: readonly string[]): Promise<void> => {
    await drain()
    const messages = [...(await cloud.take(queue)), ...texts.map(sqsMessage)]
    const { batchItemFailures } = await deliver(name, queue, messages)
    if (batchItemFailures.length > 0) throw new Error(`${name} failed ${JSON.stringify(messages)}`)
  }

  /** Feeds a function messages of these texts, which no queue of ours holds; answers how many it could do nothing with. */
  const feedTexts = async (name: string, queue: string, ...texts: readonly string[]): Promise<number> =>
    (await deliver(name, queue, texts.map(sqsMessage))).batchItemFailures.length

  /** As `feed`, while storage is down; answers how many messages the function could do nothing with. */
  const feedInVain = async (name: string, queue: string, ...texts: readonly string[]): Promise<number> => {
    const messages = [...(await cloud.take(queue)), ...texts.map(sqsMessage)]
    const { withoutStorage } = await environmentFor(name)
    const { batchItemFailures } = await withoutStorage(() => deliver(name, queue, messages))
    return batchItemFailures.length
  }

  /** Does what a function does, in its environment. */
  const as = async (name: string, work: (config: Config) => Promise<unknown>): Promise<void> => {
    const { env } = await environmentFor(name)
    await work(readConfig({ ...process.env, ...env }))
  }

  /** What a function did to storage and queues so far. */
  const notedUses = (name: string): string[] => environments.get(name)?.uses() ?? []
  const stop = () => {
    for (const environment of environments.values()) environment.stop()
  }
  return {
    ask,
    http,
    drain,
    feed,
    feedTexts,
    feedInVain,
    invoke,
    notedUses,
    stop,
    as,
    putFile: cloud.putFile,
    dropCopies: cloud.dropCopies,
  }
}
