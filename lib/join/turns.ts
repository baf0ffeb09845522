import { type ContinueTurn, type Turn, TurnSchema } from '../approvals/schema.ts'
import { Problem } from '../core/errors.ts'
import type { Log } from '../ports/log.ts'

/** Goes on with what waits for an approval, by whatever it waits in. Nothing waits for one yet. */
export const createContinueTurn =
  ({ log }: { log: Pick<Log, 'info'> }): ContinueTurn =>
  async (turn) =>
    log.info(turn, 'an approval is decided, and nothing waits for it')

/** A message of storage as a turn. Throws Problem `internal` for one that is none: no collection may send such. */
export const turnIn = (body: object): Turn => {
  const { success, data } = TurnSchema.safeParse(body)
  if (!success) throw new Problem('internal', 'unknown_turn', 'A collection sent a turn of an unknown shape')
  return data
}
