import type { Log } from '../../lib/ports/log.ts'

export type LogEntry = { level: keyof Log; fields: Readonly<Record<string, unknown>>; message: string }

let lastError: LogEntry | undefined

/** What the newest fake log heard last as an error, for the message of a test that waited in vain. */
export const lastLoggedError = (): string =>
  lastError === undefined ? '' : `; the last logged error: ${JSON.stringify(lastError)}`

/** A log that keeps what it hears, unmasked. */
export const createFakeLog = (): Log & { readonly entries: LogEntry[] } => {
  const entries: LogEntry[] = []
  lastError = undefined
  const hear = (level: keyof Log) => (fields: object, message: string) => {
    const entry = { level, fields: { ...fields }, message }
    entries.push(entry)
    if (level === 'error') lastError = entry
  }
  return { entries, debug: hear('debug'), info: hear('info'), warn: hear('warn'), error: hear('error') }
}
