import { once } from 'node:events'
import type { ClientRequest, IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string; json: unknown }

/** The whole answer to a request of node:http; `json` is undefined where it is none. */
export const answerTo = async (sent: ClientRequest): Promise<Answer> => {
  const [answer] = await once(sent, 'response')
  const text = (await buffer(answer)).toString()
  return { status: answer.statusCode, headers: answer.headers, text, json: parsed(text) }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
