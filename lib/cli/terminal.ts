import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { styleText } from 'node:util'
import type { Environment } from './credentials.ts'

type Stream = Writable & { isTTY?: boolean }
export type Streams = { stdin: Readable & { isTTY?: boolean }; stdout: Stream; stderr: Stream }
type Format = Parameters<typeof styleText>[0]

/** Characters that would move the cursor, colour or turn what follows, in texts that agents and people wrote. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/** A text of the service for a terminal: its lines and tabs stay, its control characters are shown as `?`. */
export const safeText = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(UNSAFE, (found) => (found === '\n' || found === '\t' ? found : '?'))

/** A text of the service in one line. */
export const safeLine = (text: string): string => safeText(text).replaceAll(/\s+/g, ' ').trim()

export type Terminal = ReturnType<typeof createTerminal>

/** Results go to standard output, what is said on the way to standard error: a redirected result is nothing else. */
export const createTerminal = ({ stdin, stdout, stderr }: Streams, { NO_COLOR, TERM }: Environment) => ({
  out: (text: string) => void stdout.write(`${text}\n`),
  /** A piece of the result, as it is: what reads it is a program. */
  write: (text: string) => void stdout.write(text),
  say: (text: string) => void stderr.write(`${text}\n`),
  /** The answer of `--json`: one line. */
  json: (value: unknown) => void stdout.write(`${JSON.stringify(value)}\n`),
  /** Colours a text of the result, or with `said` one that is said on the way; not where it is no terminal, nor under NO_COLOR. */
  paint: (format: Format, text: string, { said = false } = {}) => {
    const isColoured = (said ? stderr : stdout).isTTY === true && !NO_COLOR && TERM !== 'dumb'
    return isColoured ? styleText(format, text, { validateStream: false }) : text
  },
  /** Whether the result is shown on a terminal, where control characters act. */
  isShown: stdout.isTTY === true,
  /** Whether a person is there to answer. */
  isInteractive: stdin.isTTY === true && stderr.isTTY === true,
  confirm: async (question: string): Promise<boolean> => {
    using lines = createInterface({ input: stdin, output: stderr })
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim())
  },
  /** All that comes on standard input. */
  input: async (): Promise<string> => {
    let text = ''
    for await (const piece of stdin.setEncoding('utf8')) text += piece
    return text
  },
})
