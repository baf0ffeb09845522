import { messageOf } from '../core/errors.ts'
import type { Masker } from '../core/masker.ts'
import { type TaskError, type TaskResult, TaskResultSchema } from '../tasks/schema.ts'

/** What a run came to, as far as the task is concerned. */
export type Outcome =
  | { kind: 'succeeded'; result: TaskResult }
  | { kind: 'failed'; error: TaskError; retryable: boolean }
  /** It goes on from its checkpoint once a person has decided. */
  | { kind: 'waiting'; checkpoint: object; message: string }

/**
 * Most bytes of a result as JSON; a longer one belongs into a file of the workspace. Beside a prompt of 1 MiB it fits the
 * 6 MB that a function in the cloud may answer, also when all of it has to be escaped once more there.
 */
const LONGEST_RESULT = 2_000_000
/** Most bytes of a checkpoint: the messages of a run, and a patch of its workspace. */
const LARGEST_CHECKPOINT = 16_000_000
const LONGEST_MESSAGE = 1_000

export type Outcomes = ReturnType<typeof createOutcomes>

/** Reads what agents return and throw. No configured secret is left in it, whatever the agent came upon. */
export const createOutcomes = (masker: Masker) => {
  const failed = (code: string, message: unknown, retryable: boolean): Outcome => ({
    kind: 'failed',
    error: { code, message: textOf(message, masker) },
    retryable,
  })

  const ofWaiting = (plain: string): Outcome => {
    if (Buffer.byteLength(plain) > LARGEST_CHECKPOINT)
      return failed(
        'checkpoint_too_large',
        'The run cannot wait for approval: its messages are too long to be kept',
        false,
      )
    const { checkpoint, message } = JSON.parse(plain)
    return { kind: 'waiting', checkpoint, message: textOf(message, masker) }
  }

  const ofJson = (plain: string): Outcome => {
    if (Buffer.byteLength(plain) > LONGEST_RESULT) {
      return failed('result_too_large', `The agent returned more than ${LONGEST_RESULT} bytes of JSON`, false)
    }
    const parsed = TaskResultSchema.safeParse(masker.data(JSON.parse(plain)))
    if (!parsed.success) return failed('bad_result', 'The agent did not return {success, output}', false)
    if (!parsed.data.success)
      return failed(
        'agent_failed',
        parsed.data.output || 'The agent reported a failure',
        parsed.data.retryable !== false,
      )
    return { kind: 'succeeded', result: parsed.data }
  }

  return {
    /** Reads what an agent returned. Anything but a result is the agent's failure, never the service's. */
    ofReturned: (returned: unknown): Outcome => {
      try {
        const plain = JSON.stringify(returned)
        if (plain !== undefined) return isWaiting(returned) ? ofWaiting(plain) : ofJson(plain)
      } catch {
        // No JSON, or nested deeper than the stack reaches.
      }
      return failed('bad_result', 'The agent returned something that is not JSON', false)
    },
    /** Reads what an agent threw. `retryable: false` and a snake_case `code` on it are honoured. */
    ofThrown: (thrown: unknown): Outcome => {
      const { code, retryable } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Record<
        string,
        unknown
      >
      const word = typeof code === 'string' && isWord(masker.text(code)) ? code : 'agent_error'
      return failed(word, thrown, retryable !== false)
    },
  }
}

const isWaiting = (returned: unknown): boolean =>
  typeof returned === 'object' &&
  returned !== null &&
  'waitingFor' in returned &&
  returned.waitingFor === 'approval' &&
  'checkpoint' in returned &&
  typeof returned.checkpoint === 'object' &&
  returned.checkpoint !== null

const isWord = (code: string) => /^[a-z][a-z0-9_]{0,63}$/.test(code)

/** An agent may throw what has no text, such as an object without a prototype; that is its failure too. */
const textOf = (thrown: unknown, { text }: Masker): string => {
  try {
    return messageOf(thrown, LONGEST_MESSAGE, text)
  } catch {
    return 'The agent threw something that cannot be shown'
  }
}
