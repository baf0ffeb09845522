import { tooLarge } from './wire-failure.ts'

/** The most bytes of text, reasoning and arguments in one step. */
const MOST_BYTES = 8_388_608
const LONGEST_IDENTIFIER = 128
/** The longest reference to a part of an answer: some providers encrypt the state of the part in it. */
const LONGEST_REFERENCE = 4_096
const MOST_CALLS = 128
/** The most deltas of one step that may begin a call. Its arguments may come in several deltas that look like one. */
const MOST_BEGINNINGS = 2_048

/** Throws a `too_large` failure for more calls than one step may have. */
export const refuseTooManyCalls = (calls: number): void => {
  if (calls > MOST_CALLS) throw tooLarge(`sent more than ${MOST_CALLS} tool calls in one step`)
}

/** Counts what one step of a model holds while it is read. Throws a `too_large` failure before a value beyond a limit. */
export const createStepLimits = () => {
  let bytes = 0
  let beginnings = 0
  const calls = new Set<string>()
  const indices = new Set<number>()

  /** Counts a text of the answer. Undefined for anything but a text. */
  const text = (given: unknown): string | undefined => {
    if (typeof given !== 'string') return undefined
    bytes += Buffer.byteLength(given)
    if (bytes > MOST_BYTES) throw tooLarge('sent more than 8 MiB in one step')
    return given
  }

  /** The id or the name of a tool call. Undefined for an empty one, and for anything but a text. */
  const identifier = (given: unknown): string | undefined => {
    const named = typeof given === 'number' ? String(given) : given
    if (typeof named !== 'string' || named === '') return undefined
    if (named.length > LONGEST_IDENTIFIER)
      throw tooLarge(`sent an id or a name of more than ${LONGEST_IDENTIFIER} characters`)
    return named
  }

  /** The id of a part of the answer, which is sent back with it. */
  const reference = (given: unknown): string | undefined => {
    if (typeof given !== 'string') return undefined
    if (given.length > LONGEST_REFERENCE)
      throw tooLarge(`sent an id of more than ${LONGEST_REFERENCE} characters`)
    return text(given)
  }

  /** Counts a call by the beginning of it. Providers may repeat the id of a call, or give all calls the same index. */
  const call = (index: number, id: string | undefined): void => {
    if (id !== undefined || !indices.has(index)) calls.add(`${index}/${id ?? ''}`)
    indices.add(index)
    refuseTooManyCalls(calls.size)
  }

  /** Counts a delta with the name of a call and arguments: only the library that reads it knows whether a call begins. */
  const beginning = (): void => {
    beginnings += 1
    if (beginnings > MOST_BEGINNINGS) refuseTooManyCalls(beginnings)
  }

  return { text, identifier, reference, call, beginning }
}

export type StepLimits = ReturnType<typeof createStepLimits>
