import type { Lifecycle, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi'
import { createClock } from '../lib/adapters/node/clock.ts'
import { createIds } from '../lib/adapters/node/ids.ts'
import { Problem } from '../lib/core/errors.ts'
import { problemResult, toProblem } from '../lib/http/problem.ts'
import { withCommonHeaders } from '../lib/http/respond.ts'

type Answer = { statusCode: number; headers: Readonly<Record<string, unknown>> }
const answers = new WeakMap<Request, Answer>()
const ids = createIds({ clock: createClock() })

const isAnswer = (response: Request['response']): response is ResponseObject => !('isBoom' in response)

/** Stores the answer of a function. Every answer of the service has a request id. */
export const keepAnswer = (request: Request): void => {
  const { response } = request
  if (isAnswer(response) && 'x-request-id' in response.headers)
    answers.set(request, { statusCode: response.statusCode, headers: { ...response.headers } })
}

/**
 * Sends the answer of a function with its own status and headers: serverless-offline would let pages of any site read it.
 * A request without an answer (the function failed, or hapi refused) is answered in the form of every error.
 */
export const answerInOurForm = (request: Request, h: ResponseToolkit): Lifecycle.ReturnValue => {
  const { response } = request
  const answer = answers.get(request)
  if (answer === undefined || !isAnswer(response)) return refusal(request, h)
  response.code(answer.statusCode)
  for (const name of Object.keys(response.headers))
    if (!(name in answer.headers)) delete response.headers[name]
  return h.continue
}

const refusal = (request: Request, h: ResponseToolkit): ResponseObject => {
  const requestId = ids.next('req')
  const { statusCode, problem } = problemIn(request.response)
  const { headers, body } = withCommonHeaders(problemResult(problem, requestId), requestId)
  const answer = h.response(String(body)).code(statusCode)
  for (const [name, value] of Object.entries(headers)) answer.header(name, value)
  return answer
}

const problemIn = (response: Request['response']): { statusCode: number; problem: Problem } => {
  const { statusCode } = isAnswer(response) ? response : response.output
  if (statusCode < 400 || statusCode >= 500)
    return { statusCode: 500, problem: toProblem(new Error('No function answered')) }
  const message = isAnswer(response) ? 'The request cannot be read' : response.message
  return { statusCode, problem: new Problem('invalid', 'bad_request', message) }
}
