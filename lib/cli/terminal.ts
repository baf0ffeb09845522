import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { styleText } from 'node:util'
import { terminalText } from '../core/terminal-text.ts'
import type { Environment } from './credentials.ts'

type Stream = Writable & { isTTY?: boolean }
export type Streams = { stdin: Readable & { isTTY?: boolean }; stdout: Stream; stderr: Stream }
type Format = Parameters<typeof styleText>[0]

/** A text of the service for a terminal: lines and tabs stay, control characters are written as escapes such as `\u001b`. */
export const safeText = (text: string): string => terminalText(text.replaceAll('\r\n', '\n'))

/** A text of the service in one line. */
export const safeLine = (text: string): string => safeText(text).replaceAll(/\s+/g, ' ').trim()

export type Terminal = ReturnType<typeof createTerminal>

/** Results go to standard output, messages to standard error: a redirected output has results only. */
export const createTerminal = ({ stdin, stdout, stderr }: Streams, { NO_COLOR, TERM }: Environment) => {
  /** Stands for the escape character in colours of this program. No answer can have it, so any other one is shown. */
  const colour = `\ue000${randomUUID()}`
  const colouredText = (text: string) => terminalText(text).replaceAll(colour, '\u001b')
  return {
    out: (text: string) => void stdout.write(`${colouredText(text)}\n`),
    /** Writes a piece of the result: unchanged for programs, as a safe text for a terminal. */
    write: (text: string) => void stdout.write(stdout.isTTY === true ? safeText(text) : text),
    say: (text: string) => void stderr.write(`${colouredText(text)}\n`),
    /** Shows how far something is, in place of what it showed before; on a terminal only. An empty text removes it. */
    progress: (text: string) => {
      if (stderr.isTTY === true && TERM !== 'dumb') stderr.write(`\r${safeLine(text)}\u001b[K`)
    },
    /** Writes the answer of `--json`: one line. */
    json: (value: unknown) => void stdout.write(`${terminalText(JSON.stringify(value))}\n`),
    /** Colours a text of the result, or with `said` one of a message; not without a terminal, nor under NO_COLOR. */
    paint: (format: Format, text: string, { said = false } = {}) => {
      const isColoured = (said ? stderr : stdout).isTTY === true && !NO_COLOR && TERM !== 'dumb'
      return isColoured
        ? styleText(format, terminalText(text), { validateStream: false }).replaceAll('\u001b', colour)
        : text
    },
    /** Whether a person can answer questions. */
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    confirm: async (question: string): Promise<boolean> => {
      using lines = createInterface({ input: stdin, output: stderr })
      return /^y(?:es)?$/i.test((await lines.question(`${safeLine(question)} [y/N] `)).trim())
    },
    /** Asks a person line by line, until it is disposed. Ctrl-D is the end, and so is Ctrl-C where nothing handles it. */
    prompt: () => {
      const lines = createInterface({ input: stdin, output: stderr })
      const answers = lines[Symbol.asyncIterator]()
      let interrupt: (() => void) | undefined
      let isClosed = false
      lines.once('close', () => {
        isClosed = true
      })
      lines.on('SIGINT', () => (interrupt ?? (() => lines.close()))())
      return {
        /** The line that a person types; undefined at the end. */
        ask: async (question: string): Promise<string | undefined> => {
          lines.setPrompt(safeLine(question) === '' ? '' : `${safeLine(question)} `)
          // Lines that were typed before the end are still to be read.
          if (isClosed) stderr.write(lines.getPrompt())
          else lines.prompt()
          const { value, done } = await answers.next()
          return done ? undefined : value
        },
        onInterrupt: (handle: (() => void) | undefined) => {
          interrupt = handle
        },
        [Symbol.dispose]: () => lines.close(),
      }
    },
    pieces: (): AsyncIterable<Buffer> => stdin,
    input: async (): Promise<string> => {
      let text = ''
      for await (const piece of stdin.setEncoding('utf8')) text += piece
      return text
    },
  }
}

/** A signal that Ctrl-C aborts, in place of the end of this program: what the service was asked for goes on. */
export const interruptible = () => {
  const interrupted = new AbortController()
  const stop = () => interrupted.abort()
  process.on('SIGINT', stop)
  return { signal: interrupted.signal, stop, [Symbol.dispose]: () => void process.off('SIGINT', stop) }
}
