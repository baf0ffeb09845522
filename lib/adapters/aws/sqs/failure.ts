import { Problem } from '../../../core/errors.ts'
import { asUnavailable } from '../failure.ts'

const CODE = 'queue_unavailable'

/** Throws what ended a request as the port promises it. */
export const failRequest = (thrown: unknown): never => {
  throw asUnavailable(thrown, CODE, 'The queue')
}

/** The failure of one entry of a batch, by the code that SQS gave it. */
export const refusedEntry = (why = 'InternalError'): Problem =>
  new Problem('unavailable', CODE, `The queue is unavailable: ${why}.`)
