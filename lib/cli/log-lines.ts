import { isEnd } from '../api/task-log.ts'
import { costText } from '../core/cost-text.ts'
import { shortenedText } from '../core/cut-text.ts'
import { TOOL_ERROR } from '../core/session-end.ts'
import type { TaskEvent } from '../tasks/schema.ts'
import type { SessionEvent } from './follow.ts'
import { safeLine, safeText, type Terminal } from './terminal.ts'

const MOST_OF_ARGUMENTS = 120

const time = (at: string | number) => new Date(at).toLocaleTimeString('en-GB')

const COLOURS = {
  completed: 'green',
  failed: 'red',
  cancelled: 'yellow',
  retrying: 'yellow',
  recovered: 'yellow',
} as const

const stringOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '')

/** What an attempt has cost, of the event of its end. */
const attemptCostText = ({ metadata }: TaskEvent): string => {
  const { usd, source } = (metadata?.cost ?? {}) as { usd?: unknown; source?: unknown }
  if (typeof usd !== 'number') return ''
  return `(${costText({ usd, source: source === 'unknown' ? 'unknown' : 'price' })})`
}

/** One line for a session's event; nothing for events that a log does not need. */
const eventLines: Readonly<Record<string, (data: SessionEvent['data']) => string>> = {
  'step:start': ({ step }) => `step ${step}`,
  'tool:call': ({ name, title, arguments: given }) =>
    stringOrEmpty(title) ||
    `${stringOrEmpty(name)} ${shortenedText(JSON.stringify(given ?? {}), MOST_OF_ARGUMENTS)}`,
  'approval:pending': ({ name }) =>
    `${stringOrEmpty(name) || 'a tool call'} needs approval: agent-tasks approve`,
  // The line of the tool's result has the message already.
  error: ({ code, message }) => (code === TOOL_ERROR ? '' : stringOrEmpty(message)),
}

const failedResultLine = ({ type, data }: SessionEvent): string => {
  const result = (data.result ?? {}) as { success?: unknown; content?: unknown }
  return type === 'tool:result' && result.success === false
    ? `  failed: ${stringOrEmpty(result.content)}`
    : ''
}

type Options = {
  /** Whether the lines are messages, and not the result. */
  said?: boolean
  /** Whether the output of the task is printed after its log, which then leaves it out. */
  isBeforeOutput?: boolean
}

/**
 * Prints the log of a task line by line: its events, and the events of its agent session in place of progress once the
 * session exists. A model's text comes in pieces, and is printed when a line is complete; before an output when it is clear
 * that it is not that output, which is the text of the last step.
 */
export const createLogLines = (
  { paint }: Pick<Terminal, 'paint'>,
  print: (line: string) => void,
  { said = true, isBeforeOutput = false }: Options = {},
) => {
  let words = ''
  let withheld: { at: number; text: string }[] = []
  /** The time at which its session began, in milliseconds. */
  let sessionFrom = Infinity
  let progressAt = 0
  const line = (
    at: string | number,
    kind: string,
    text: string,
    colour: Parameters<typeof paint>[0] = 'reset',
  ) =>
    print(
      `${paint('dim', time(at), { said })}  ${paint(colour, kind.padEnd(9), { said })}  ${safeLine(text)}`.trimEnd(),
    )
  const release = () => {
    for (const { at, text } of withheld) line(at, 'says', text)
    withheld = []
  }
  const finishWords = (at: number, whole: boolean) => {
    const lines = words.split('\n')
    words = whole ? '' : (lines.pop() ?? '')
    withheld.push(...lines.filter((text) => text.trim() !== '').map((text) => ({ at, text })))
    if (!isBeforeOutput) release()
  }
  const finish = (at: number, output = '') => {
    finishWords(at, true)
    const last = safeLine(withheld.map(({ text }) => text).join('\n'))
    if (safeLine(output).includes(last)) withheld = []
    release()
  }
  return {
    task: (event: TaskEvent, output?: string) => {
      const { timestamp, type, message = '', attempt } = event
      if (type === 'progress' && Date.parse(timestamp) >= sessionFrom) return
      if (type === 'progress') progressAt = Date.parse(timestamp)
      if (isEnd({ type })) finish(Date.parse(timestamp), output)
      else release()
      const which = type === 'started' && attempt !== undefined ? `attempt ${attempt}` : ''
      line(
        timestamp,
        type,
        [[which, message].filter(Boolean).join(': '), attemptCostText(event)].filter(Boolean).join(' '),
        COLOURS[type as keyof typeof COLOURS],
      )
    },
    session: (event: SessionEvent) => {
      sessionFrom = Math.min(sessionFrom, event.timestamp)
      if (event.type === 'content') words += safeText(stringOrEmpty(event.data.text))
      finishWords(event.timestamp, event.type !== 'content')
      const text = eventLines[event.type]?.(event.data) || failedResultLine(event)
      if (!text) return
      release()
      // Earlier steps and calls were printed as progress.
      if (event.timestamp > progressAt) line(event.timestamp, event.type.split(':')[0] ?? '', text)
    },
    /** Prints the remaining text of a log that is not followed to its end. */
    finish: () => finish(Date.now()),
  }
}
