import { messageOf } from '../core/errors.ts'
import { type TaskError, type TaskResult, TaskResultSchema } from '../tasks/schema.ts'

/** What a run came to, as far as the task is concerned. */
export type Outcome =
  | { kind: 'succeeded'; result: TaskResult }
  | { kind: 'failed'; error: TaskError; retryable: boolean }

/**
 * Most bytes of a result as JSON; a longer one belongs into a file of the workspace. Beside a prompt of 1 MiB it fits the
 * 6 MB that a function in the cloud may answer, also when all of it has to be escaped once more there.
 */
const LONGEST_RESULT = 2_000_000

/** Reads what an agent returned. Anything but a result is the agent's failure, never the service's. */
export const outcomeOf = (returned: unknown): Outcome => {
  const plain = asJson(returned)
  if (plain === undefined) return failed('bad_result', 'The agent returned something that is not JSON', false)
  if (Buffer.byteLength(plain) > LONGEST_RESULT) {
    return failed('result_too_large', `The agent returned more than ${LONGEST_RESULT} bytes of JSON`, false)
  }
  const parsed = TaskResultSchema.safeParse(JSON.parse(plain))
  if (!parsed.success) return failed('bad_result', 'The agent did not return {success, output}', false)
  if (!parsed.data.success)
    return failed('agent_failed', parsed.data.output || 'The agent reported a failure', true)
  return { kind: 'succeeded', result: parsed.data }
}

/** Reads what an agent threw. `retryable: false` and a snake_case `code` on it are honoured. */
export const failureOf = (thrown: unknown): Outcome => {
  const { code, retryable } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Record<
    string,
    unknown
  >
  const word = typeof code === 'string' && /^[a-z][a-z0-9_]{0,63}$/.test(code) ? code : 'agent_error'
  return failed(word, textOf(thrown), retryable !== false)
}

/** An agent may throw what has no text, such as an object without a prototype; that is its failure too. */
const textOf = (thrown: unknown): string => {
  try {
    return messageOf(thrown)
  } catch {
    return 'The agent threw something that cannot be shown'
  }
}

const failed = (code: string, message: string, retryable: boolean): Outcome => ({
  kind: 'failed',
  error: { code, message: messageOf(message) },
  retryable,
})

const asJson = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
