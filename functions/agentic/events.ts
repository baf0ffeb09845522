import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import * as path from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import * as z from 'zod'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { listenInContainer, openContainerLog } from '../../lib/app/cloud-container.ts'
import { Problem } from '../../lib/core/errors.ts'

/**
 * Passes the events of a queue to a function that runs in the container: `events.ts functions/worker.ts`. The Lambda Web
 * Adapter posts each event to /events and returns the answer as the function's; a 5xx fails the invocation, so that the
 * queue delivers again.
 */
type Context = { awsRequestId: string; getRemainingTimeInMillis(): number }
type Handler = (event: unknown, context: Context) => Promise<unknown>

const PATH = '/events'
/** The adapter's description of an invocation; the deadline is epoch milliseconds. */
const Invocation = z.object({ request_id: z.string(), deadline: z.number() })
/** The time limit in serverless.yml, in case the adapter gives no deadline. */
const TIMEOUT_MS = 900_000

const clock = createClock()
const log = openContainerLog()

const entry = path.resolve(process.argv[2] ?? 'functions/worker.ts')
const { handler } = (await import(pathToFileURL(entry).href)) as { handler: Handler }

const invocationContext = (headers: IncomingHttpHeaders): Context => {
  const { request_id, deadline } = adapterInvocation(String(headers['x-amzn-lambda-context'] ?? ''))
  return { awsRequestId: request_id, getRemainingTimeInMillis: () => Math.max(0, deadline - clock.now()) }
}

const adapterInvocation = (header: string): z.output<typeof Invocation> => {
  try {
    return Invocation.parse(JSON.parse(header))
  } catch (err) {
    log.warn({ err }, 'the adapter did not say when this invocation ends')
    return { request_id: 'unknown', deadline: clock.now() + TIMEOUT_MS }
  }
}

/** The message names the setting; a stack trace adds nothing. */
const isBadSetting = (err: unknown): err is Problem => err instanceof Problem && err.code === 'bad_setting'

const answer = async (request: IncomingMessage, response: ServerResponse) => {
  if (request.method !== 'POST' || request.url !== PATH) return void response.writeHead(404).end()
  try {
    const result = await handler(JSON.parse(await text(request)), invocationContext(request.headers))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result ?? {}))
  } catch (err) {
    log.error(isBadSetting(err) ? { reason: err.message } : { err }, 'the function failed')
    response.writeHead(500).end()
  }
}

const server = createServer((request, response) => void answer(request, response))
listenInContainer(server, log)
// Open handles of the function would keep the process: it ends after the last invocation was answered.
process.on('SIGTERM', () => server.close(() => process.exit(0)))
