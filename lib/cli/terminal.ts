import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { styleText } from 'node:util'
import type { Environment } from './credentials.ts'

type Stream = Writable & { isTTY?: boolean }
export type Streams = { stdin: Readable & { isTTY?: boolean }; stdout: Stream; stderr: Stream }
type Format = Parameters<typeof styleText>[0]

/** Characters that move the cursor, change colours or reverse text, in texts of agents and people. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/** A text of the service for a terminal: lines and tabs stay, control characters are shown as `?`. */
export const safeText = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(UNSAFE, (found) => (found === '\n' || found === '\t' ? found : '?'))

/** A text of the service in one line. */
export const safeLine = (text: string): string => safeText(text).replaceAll(/\s+/g, ' ').trim()

export type Terminal = ReturnType<typeof createTerminal>

/** Results go to standard output, messages to standard error: a redirected output has results only. */
export const createTerminal = ({ stdin, stdout, stderr }: Streams, { NO_COLOR, TERM }: Environment) => ({
  out: (text: string) => void stdout.write(`${text}\n`),
  /** Writes a piece of the result unchanged, for programs. */
  write: (text: string) => void stdout.write(text),
  say: (text: string) => void stderr.write(`${text}\n`),
  /** Shows how far something is, in place of what it showed before; on a terminal only. An empty text removes it. */
  progress: (text: string) => {
    if (stderr.isTTY === true && TERM !== 'dumb') stderr.write(`\r${text}\u001b[K`)
  },
  /** Writes the answer of `--json`: one line. */
  json: (value: unknown) => void stdout.write(`${JSON.stringify(value)}\n`),
  /** Colours a text of the result, or with `said` one of a message; not without a terminal, nor under NO_COLOR. */
  paint: (format: Format, text: string, { said = false } = {}) => {
    const isColoured = (said ? stderr : stdout).isTTY === true && !NO_COLOR && TERM !== 'dumb'
    return isColoured ? styleText(format, text, { validateStream: false }) : text
  },
  /** Whether standard output is a terminal, where control characters take effect. */
  isShown: stdout.isTTY === true,
  /** Whether a person can answer questions. */
  isInteractive: stdin.isTTY === true && stderr.isTTY === true,
  confirm: async (question: string): Promise<boolean> => {
    using lines = createInterface({ input: stdin, output: stderr })
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim())
  },
  /** Standard input in pieces. */
  pieces: (): AsyncIterable<Buffer> => stdin,
  /** The whole standard input. */
  input: async (): Promise<string> => {
    let text = ''
    for await (const piece of stdin.setEncoding('utf8')) text += piece
    return text
  },
})
