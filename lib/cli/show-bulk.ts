import type { BulkOutcome } from './bulk.ts'
import { EXIT } from './exit-codes.ts'
import { safeLine, type Terminal } from './terminal.ts'

/** Prints what came of a change of many, and resolves to its exit code: failed where one of them was refused. */
export const showBulk = (outcome: BulkOutcome, verb: string, terminal: Terminal, json: boolean): number => {
  const { total, done, failures } = outcome
  if (json) terminal.json(outcome)
  else terminal.out(`${done} of ${total} ${verb}`)
  for (const { id, error } of failures) terminal.say(`${id}: ${safeLine(error)}`)
  return failures.length === 0 ? EXIT.done : EXIT.failed
}
