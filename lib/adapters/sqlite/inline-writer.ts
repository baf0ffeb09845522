import type { DatabaseSync } from 'node:sqlite'
import { openExecution } from './execute.ts'
import type { Writer } from './script.ts'

/** Writes on the calling thread and the given connection: for `:memory:`, which no other connection can see. */
export const openInlineWriter = (db: DatabaseSync): Writer => {
  const execute = openExecution(db)
  return {
    run: async (script) => execute(script),
    close: async () => undefined,
  }
}
