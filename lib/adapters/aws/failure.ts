import { Problem } from '../../core/errors.ts'

/** AWS's names of errors of the request itself: a repeat would fail too. */
const OF_THE_REQUEST: ReadonlySet<string> = new Set([
  'ValidationException',
  'ValidationError',
  'SerializationException',
  'InvalidParameterValue',
  'InvalidParameterValueException',
])

/** The name of an error, which AWS uses as its code. */
export const errorName = (thrown: unknown): string => (thrown instanceof Error ? thrown.name : '')

/** The SDK adds `$metadata` to each error of a request: an error answer, a network error, a time-out. */
const endedARequest = (thrown: unknown): thrown is Error => thrown instanceof Error && '$metadata' in thrown

/**
 * The error in the form of the ports: Problem `unavailable` with `code` when the service, the network or the credentials
 * failed (throttling and 5xx after the SDK's own retries), else the error itself.
 */
export const asUnavailable = (thrown: unknown, code: string, what: string): unknown =>
  endedARequest(thrown) && !OF_THE_REQUEST.has(thrown.name)
    ? // AWS's own text may name accounts, roles and resources: only the log gets it, as the cause.
      new Problem('unavailable', code, `${what} is unavailable (${thrown.name}).`, { cause: thrown })
    : thrown

/** For a promise's `catch`: throws the error as `asUnavailable` gives it. */
export const throwUnavailable =
  (code: string, what: string) =>
  (thrown: unknown): never => {
    throw asUnavailable(thrown, code, what)
  }
