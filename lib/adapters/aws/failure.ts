import { Problem } from '../../core/errors.ts'

/** What AWS says of a request that is wrong in itself: sending it again, or later, would change nothing. */
const OF_THE_REQUEST: ReadonlySet<string> = new Set([
  'ValidationException',
  'ValidationError',
  'SerializationException',
  'InvalidParameterValue',
  'InvalidParameterValueException',
])

/** The name of an error, by which AWS distinguishes its kinds. */
export const nameOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.name : '')

/** The SDK puts `$metadata` on each error that ended a request: an answer of the service, a network error, a time-out. */
const endedARequest = (thrown: unknown): thrown is Error => thrown instanceof Error && '$metadata' in thrown

/**
 * The error as the ports promise it: Problem `unavailable` under `code` when the service, the network or the
 * credentials failed (throttling and 5xx after the SDK's own retries), else the error itself.
 */
export const asUnavailable = (thrown: unknown, code: string, what: string): unknown =>
  endedARequest(thrown) && !OF_THE_REQUEST.has(thrown.name)
    ? // AWS's own text may name accounts, roles and resources: it is for the log, which gets the cause.
      new Problem('unavailable', code, `${what} is unavailable (${thrown.name}).`, { cause: thrown })
    : thrown
