import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export type Asked = {
  method?: string
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string | undefined
}
export type Answered = { status: number; headers: IncomingHttpHeaders; text: string; json: unknown }

/** Requests as they are given: no path is tidied up and no header is forbidden, as they are with `fetch`. */
export const rawSender = (baseUrl: string) => {
  const agent = new Agent({ keepAlive: true })
  const { hostname: host, port } = new URL(baseUrl)
  const send = async ({ method = 'GET', path, headers = {}, body }: Asked): Promise<Answered> => {
    const sent = request({
      agent,
      host,
      port,
      method,
      path,
      headers: { ...framing(body, headers), ...headers },
    })
    // An answer may come, and the connection close, before all of a body is taken.
    sent.on('error', () => undefined)
    sent.end(body)
    const [answer] = await once(sent, 'response')
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    return { status: answer.statusCode, headers: answer.headers, text, json: parsed(text) }
  }
  return { send, [Symbol.dispose]: () => agent.destroy() }
}

// By itself node:http frames no body of a GET.
const framing = (body: string | undefined, headers: object) => {
  if (body === undefined) return {}
  const length = 'transfer-encoding' in headers ? {} : { 'content-length': Buffer.byteLength(body) }
  return { 'content-type': 'application/json', ...length }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
