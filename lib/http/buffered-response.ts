import { Problem } from '../core/errors.ts'
import type { HttpResult } from './event.ts'
import { problemResult } from './problem.ts'
import { withCommonHeaders } from './respond.ts'

export type BufferedResponse = HttpResult & { body: string; isBase64Encoded?: true }

/** The longest answer of a function: 6 MB as Lambda writes it, which is JSON with the body in it. */
const LONGEST_ANSWER = 6_291_556
/** This many characters always fit, even if each takes three bytes. */
const SHORT = 2_000_000

/** Room for the rest of an answer in bytes, whose headers are the service's own and short. */
const ROOM_FOR_HEADERS = 65_536

/** A whole answer, with bytes in base64; one that is too long becomes Problem `answer_too_large`. */
export const buffered = async (result: HttpResult): Promise<BufferedResponse> => {
  if (result.body instanceof Uint8Array) {
    const body = Buffer.from(result.body).toString('base64')
    const answer: BufferedResponse = { ...result, body, isBase64Encoded: true }
    return body.length < LONGEST_ANSWER - ROOM_FOR_HEADERS ? answer : tooLong(result)
  }
  let body = ''
  for await (const piece of typeof result.body === 'string' ? [result.body] : result.body) {
    body += piece
    if (body.length > LONGEST_ANSWER) return tooLong(result)
  }
  const answer = { ...result, body }
  const isShort = body.length < SHORT || Buffer.byteLength(JSON.stringify(answer)) <= LONGEST_ANSWER
  return isShort ? answer : tooLong(result)
}

const tooLong = ({ headers: { 'x-request-id': requestId = '' } }: HttpResult): BufferedResponse => {
  const message =
    'The response exceeds the 6 MB limit of a function. Request less, or use the streaming address'
  const problem = new Problem('too_large', 'answer_too_large', message)
  const { body, ...refusal } = withCommonHeaders(problemResult(problem, requestId), requestId)
  return { ...refusal, body: String(body) }
}
