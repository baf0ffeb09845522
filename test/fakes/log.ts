import type { Log } from '../../lib/ports/log.ts'

export type LogEntry = { level: keyof Log; fields: Readonly<Record<string, unknown>>; message: string }

/** A log that keeps what it hears, unmasked. */
export const createFakeLog = (): Log & { readonly entries: LogEntry[] } => {
  const entries: LogEntry[] = []
  const hear = (level: keyof Log) => (fields: object, message: string) => {
    entries.push({ level, fields: { ...fields }, message })
  }
  return { entries, debug: hear('debug'), info: hear('info'), warn: hear('warn'), error: hear('error') }
}
