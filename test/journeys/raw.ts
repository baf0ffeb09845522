import { Agent, request } from 'node:http'
import { type Answer, answerTo } from '../http/answer.ts'

/** The path of the stream that ends when its reader leaves. */
const ENDLESS = '/api/events/stream'

export type Asked = {
  method?: string
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer | undefined
}

/** Requests as they are given: no path is tidied up and no header is forbidden, as they are with `fetch`. */
export const rawSender = (baseUrl: string) => {
  const agent = new Agent({ keepAlive: true })
  const { hostname: host, port } = new URL(baseUrl)
  const send = async ({ method = 'GET', path, headers = {}, body }: Asked): Promise<Answer> => {
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
    return answerTo(sent, path.startsWith(ENDLESS))
  }
  return { send, [Symbol.dispose]: () => agent.destroy() }
}

// By itself node:http frames no body of a GET.
const framing = (body: Asked['body'], headers: object) => {
  if (body === undefined) return {}
  const length = 'transfer-encoding' in headers ? {} : { 'content-length': Buffer.byteLength(body) }
  return { 'content-type': 'application/json', ...length }
}
