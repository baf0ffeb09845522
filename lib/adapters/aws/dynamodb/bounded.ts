import { Problem } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Connection } from './connection.ts'
import type { Plan } from './plan.ts'

/** An HTTP API gives an answer 29 s. */
const MOST_MS = 20_000

const tooBroad = ({ indexes }: Plan) => {
  const fields = new Set([...indexes.values()].flatMap(({ within, by }) => [by, within ?? by]))
  const names = [...fields].join(' or ')
  return new Problem(
    'invalid',
    'selection_too_broad',
    `There is too much to look through; narrow the selection by ${names}.`,
  )
}

type Needs = { connection: Connection; clock: Clock; mostMs: number | undefined }

/** Lets work read for so long. After that it is refused, whatever it waits for, and reads no more. */
export const createBounded =
  ({ connection, clock, mostMs = MOST_MS }: Needs) =>
  async <T>(plan: Plan, work: (connection: Connection) => Promise<T>): Promise<T> => {
    let isOver = false
    const { promise: end, reject } = Promise.withResolvers<never>()
    const cancel = clock.after(mostMs, () => {
      isOver = true
      reject(tooBroad(plan))
    })
    const calling: Connection['calling'] = async (call) => {
      if (isOver) throw tooBroad(plan)
      return connection.calling(call)
    }
    try {
      return await Promise.race([work({ ...connection, calling }), end])
    } finally {
      cancel()
    }
  }
