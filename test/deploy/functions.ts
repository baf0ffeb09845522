import type { startCloud } from './cloud.ts'

type Json = Record<string, unknown>
type Cloud = Awaited<ReturnType<typeof startCloud>>
type Environment = Awaited<ReturnType<Cloud['environmentOf']>>
// biome-ignore lint/suspicious/noExplicitAny: each kind of function takes its own events.
type Handler = (event: any, context: object) => Promise<any>

const CONTEXT = { getRemainingTimeInMillis: () => 60_000 }

/** The functions of the service, each called with the environment of its own that it reads at its first call. */
export const loadFunctions = (cloud: Cloud) => {
  const environments = new Map<string, Environment>()

  const invoke = async (name: string, event: unknown) => {
    const environment = environments.get(name) ?? (await cloud.environmentOf())
    environments.set(name, environment)
    Object.assign(process.env, environment.env)
    const { handler } = (await import(`../../functions/${name}.ts`)) as { handler: Handler }
    return handler(event, CONTEXT)
  }

  /** A request as the HTTP API passes it on; answers the body. */
  const http = async (name: string, route: string, body?: unknown, headers: Json = {}): Promise<Json> => {
    const [method = '', url = ''] = route.split(' ')
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const answer = await invoke(name, {
      version: '2.0',
      rawPath: pathname,
      rawQueryString: String(searchParams),
      headers: { host: 'localhost', 'content-type': 'application/json', ...headers },
      queryStringParameters: Object.fromEntries(searchParams),
      requestContext: { requestId: 'req_1', http: { method, path: pathname, sourceIp: '127.0.0.1' } },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      isBase64Encoded: false,
    })
    if (answer.statusCode >= 400) throw new Error(`${route}: ${answer.statusCode} ${answer.body}`)
    return JSON.parse(answer.body)
  }

  /** Feeds a function what waits in a queue, and `more`. */
  const feed = async (name: string, queue: string, ...more: readonly string[]): Promise<void> => {
    const texts = [...(await cloud.take(queue)), ...more]
    const Records = texts.map((body, n) => ({
      messageId: `m-${n}`,
      receiptHandle: 'none',
      body,
      attributes: { ApproximateReceiveCount: '1' },
      eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${queue}`,
    }))
    const { batchItemFailures } = await invoke(name, { Records })
    if (batchItemFailures.length > 0) throw new Error(`${name} failed ${JSON.stringify(texts)}`)
  }

  /** What a function did to storage and queues so far. */
  const usesOf = (name: string): string[] => environments.get(name)?.uses() ?? []
  const stop = () => {
    for (const environment of environments.values()) environment.stop()
  }
  return { http, feed, invoke, usesOf, stop }
}
