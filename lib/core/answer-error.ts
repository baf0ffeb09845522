import { errorMessage, Problem } from './errors.ts'

export const UNFORESEEN = 'internal_error'

/** A failure to show with an answer; the message of an error that is no Problem is left out. */
export const toAnswerError = (thrown: unknown): { code: string; message: string } => {
  // The codes of agent sessions are upper case in their events.
  if (thrown instanceof Problem) return { code: thrown.code.toLowerCase(), message: errorMessage(thrown) }
  // The abort reason of a closed connection's signal.
  const isLeft =
    typeof thrown === 'object' && thrown !== null && 'name' in thrown && thrown.name === 'AbortError'
  return isLeft
    ? { code: 'cancelled', message: 'The caller left before the end of the answer' }
    : { code: UNFORESEEN, message: 'Something went wrong' }
}
