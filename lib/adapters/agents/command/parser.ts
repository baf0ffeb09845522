import { agentFailure } from '../program/failures.ts'
import type { createRunEvents } from '../program/run-events.ts'
import { LARGEST_LINE } from '../program/watchdog.ts'

/** What a program says of its work. With a `failure`, in words for a person, the work is not done. */
export type Outcome = {
  answer: string
  failure?: string | undefined
  /** Whether another attempt may end otherwise. */
  retryable?: boolean
  /** What the program states that its run cost, in USD. */
  costUsd?: number | undefined
  facts?: Readonly<Record<string, unknown>>
}

/** Reads the standard output of a program, and gives what it says to the events of the run as it comes. */
export type Parser = {
  add(text: string): void
  /** The output has ended. */
  close(): void
  /** What the program says of its end; undefined before, and for programs that say nothing of it. */
  end(): Outcome | undefined
  /** The id of the session, as soon as the program has named it. */
  session?(): string | undefined
  /** The output as a whole, where a program says nothing of its end. */
  whole?(): Outcome
}

export type ParserNeeds = {
  events: ReturnType<typeof createRunEvents>
  progress: (message: string) => void
  /** The folder of the work, which titles leave out. */
  root: string
}

type Fields = Readonly<Record<string, unknown>>

const parsed = (line: string): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined
  } catch {
    return undefined
  }
}

/**
 * Calls `take` with the object of each line; other lines, such as warnings, are left out. Throws `agent_protocol` for a line
 * over 10 MB.
 */
export const jsonLines = (take: (line: Fields) => void): Pick<Parser, 'add' | 'close'> => {
  let parts: string[] = []
  let length = 0
  const endLine = () => {
    const value = parsed(parts.join(''))
    parts = []
    length = 0
    if (value) take(value)
  }
  const add = (text: string) => {
    for (const [at, part] of text.split('\n').entries()) {
      if (at > 0) endLine()
      length += part.length
      if (length > LARGEST_LINE)
        throw agentFailure('agent_protocol', 'The agent wrote a line of more than 10 MB')
      parts.push(part)
    }
  }
  return { add, close: endLine }
}
