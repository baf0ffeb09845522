import { openConnection } from './connection.ts'
import { createTasks } from './load.ts'
import { startService } from './service.ts'
import type { System } from './system.ts'
import { untilCompleted } from './watch.ts'

/** A started service that has run `count` tasks to completion, and their ids. */
export const startFilled = async (
  entry: string,
  count: number,
): Promise<{ service: System; ids: string[] }> => {
  const service = await startService(entry)
  const created = await createTasks(service.port, count)
  const watcher = await openConnection(service.port)
  await untilCompleted(watcher, count)
  watcher.close()
  return { service, ids: created.map(({ id }) => id) }
}
