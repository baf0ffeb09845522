import { AsyncLocalStorage } from 'node:async_hooks'
import sonicBoom from 'sonic-boom'
import type { Masker } from '../../core/masker.ts'
import { terminalText } from '../../core/terminal-text.ts'
import { iso } from '../../core/time.ts'
import type { Log } from '../../ports/log.ts'

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
/** The least severe level that is written. */
export type LogLevel = (typeof LEVELS)[number]

/** The destination of lines. Lines that wait in it are written by `flush`. */
type LogDestination = { write(lines: string): unknown; flush?(): void }

type Settings = {
  level: LogLevel
  masker: Masker
  to?: LogDestination
  /** Whether people read the lines on a terminal: requests are written at level `debug` alone, each as a line of plain text. */
  onTerminal?: boolean
}

const STDOUT = 1

export const isOnTerminal = (): boolean => process.stdout.isTTY === true

/** The most bytes that are kept for a standard output that cannot be written. */
const MOST_KEPT = 1_048_576

/**
 * Writes each line in the call, so that a frozen Lambda loses none. A reader that is slow makes the call wait. An output
 * that was closed, or whose disk is full, loses lines and does not end the service.
 */
const standardOutput = (): LogDestination =>
  new sonicBoom.SonicBoom({ fd: STDOUT, sync: true, maxLength: MOST_KEPT }).on('error', () => undefined)

/** The most characters that wait: the most that a turn keeps in memory, and that one write takes. */
const MOST_WAITING = 65_536

/**
 * Writes the lines of one turn of the event loop together: a write costs as much as the line. Errors are written at once,
 * and the rest also at the end of the process, by `process.exit` or an uncaught error too; what kills the process without
 * its knowledge takes the lines of one turn at most.
 */
export const turnOutput = (to: LogDestination = standardOutput()): LogDestination => {
  let waiting = ''
  const flush = () => {
    const text = waiting
    waiting = ''
    if (text !== '') to.write(text)
  }
  process.on('exit', flush)
  return {
    write: (line) => {
      if (waiting === '') setImmediate(flush)
      waiting += line
      if (waiting.length > MOST_WAITING) flush()
    },
    flush,
  }
}

/** The invocation of a function that the running work belongs to, and the message that started it. */
type Invocation = { awsRequestId?: string; messageId?: string }
/** One for the process, as for traces: an invocation is not part of a trace, and only the log shows it. */
const invocations = new AsyncLocalStorage<Invocation>()

/** Runs work, and what it awaits, within an invocation: each of its log lines has the invocation's ids. */
export const withinInvocation = <T>(invocation: Invocation, work: () => T): T =>
  invocations.run(invocation, work)

/** The members of a JSON object, without its braces. `fields` is masked, and so is JSON data without cycles. */
const jsonMembers = (fields: object): string => {
  const text = JSON.stringify(fields)
  return text === '{}' ? '' : `${text.slice(1, -1)},`
}

const plainRequest = (fields: object): string => {
  const { method, path, status, ms, user = '', requestId } = fields as Record<string, unknown>
  return [method, path, status, `${ms} ms`, user, requestId].join(' ')
}

/**
 * JSON lines on standard output, where platforms read logs; some treat standard error as failures. Characters that a
 * terminal would obey are escaped. A line that is below the level costs nothing.
 */
export const createLog = ({ level, masker, to = standardOutput(), onTerminal = false }: Settings): Log => {
  const hasPlainRequests = onTerminal && level === 'debug'
  const hasNoRequests = onTerminal && level !== 'debug'

  const lineText = (label: LogLevel, fields: object, message: string): string => {
    if (hasPlainRequests && message === 'request') return plainRequest(fields)
    const members = jsonMembers({ ...invocations.getStore(), ...fields })
    const time = iso(Date.now())
    return `{"level":"${label}","time":"${time}",${members}"msg":${JSON.stringify(message)}}`
  }

  const levelWriter = (label: Exclude<LogLevel, 'silent'>): Log[typeof label] => {
    if (LEVELS.indexOf(label) < LEVELS.indexOf(level)) return () => undefined
    return (given, message) => {
      if (hasNoRequests && message === 'request') return
      const masked = masker.logValue(given)
      const fields = typeof masked === 'object' && masked !== null ? masked : { fields: masked }
      to.write(`${terminalText(lineText(label, fields, masker.logText(String(message))))}\n`)
      if (label === 'error') to.flush?.()
    }
  }

  return {
    debug: levelWriter('debug'),
    info: levelWriter('info'),
    warn: levelWriter('warn'),
    error: levelWriter('error'),
  }
}
