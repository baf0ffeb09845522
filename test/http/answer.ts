import { once } from 'node:events'
import type { ClientRequest, IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string; json: unknown }

/** The whole answer to a request of node:http, of one without an end its first piece; `json` is undefined where it is none. */
export const answerTo = async (sent: ClientRequest, isEndless = false): Promise<Answer> => {
  const [answer] = await once(sent, 'response')
  const text = isEndless ? await firstPiece(answer) : (await buffer(answer)).toString()
  return { status: answer.statusCode, headers: answer.headers, text, json: parsed(text) }
}

/** Leaving the loop closes the connection. */
const firstPiece = async (answer: AsyncIterable<Buffer>): Promise<string> => {
  for await (const piece of answer) return piece.toString()
  return ''
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
