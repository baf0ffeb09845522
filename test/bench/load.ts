import type { Connection } from './connection.ts'
import { openConnection } from './connection.ts'
import { machineMs } from './starts.ts'

/** One created task: when its POST was written, when it was answered, and the id it got. */
export type Created = { id: string; sentMs: number; answeredMs: number }

const PRODUCERS = 32
const PROMPT = 'Read the failing test, find the cause, mend it and run the tests again. '
  .repeat(3)
  .slice(0, 200)

/** Creates `count` tasks by 32 closed-loop producers, each on a connection of its own. Any answer but 201 is an error. */
export const createTasks = async (port: number, count: number): Promise<Created[]> => {
  const connections = await Promise.all(Array.from({ length: PRODUCERS }, () => openConnection(port)))
  const created: Created[] = []
  let sent = 0
  const produce = async (connection: Connection) => {
    while (sent < count) created.push(await create(connection, ++sent))
  }
  try {
    await Promise.all(connections.map(produce))
  } finally {
    for (const connection of connections) connection.close()
  }
  return created
}

const create = async (connection: Connection, number: number): Promise<Created> => {
  const body = `{"title":"Benchmark task ${number}","prompt":"${PROMPT}","priority":3}`
  const sentMs = machineMs()
  const { status, text } = await connection.ask('POST', '/api/tasks', body)
  const answeredMs = machineMs()
  const id = /"id":"([^"]+)"/.exec(text)?.[1]
  if (status !== 201 || id === undefined)
    throw new Error(`POST /api/tasks answered ${status} ${text.slice(0, 300)}`)
  return { id, sentMs, answeredMs }
}
