import { body } from '../../adapters/dynamodb/life.ts'
import { httpEvent } from '../../fakes/http-event.ts'
import { runEvent } from './events.ts'
import type { Units } from './meter.ts'
import type { World } from './world.ts'

/** Long enough for two renewals of the lease. */
const RUN_MS = 21_000

/**
 * What a run takes for each second that its agent works: it renews its lease, and looks whether it is still its own.
 * Measured apart from all else, since it takes that long.
 */
export const unitsPerSecond = async (world: World): Promise<Pick<Units, 'read' | 'write'>> => {
  const tasks = await world.apart.function('tasks')
  const worker = await world.apart.function('worker')
  const runFor = async (runMs: number): Promise<Units> => {
    const { answer } = await tasks.invoke(
      httpEvent('POST /api/tasks', body({ metadata: { runMs } }), world.known),
    )
    const { task } = JSON.parse((answer as { body: string }).body) as { task: { id: string } }
    world.takenApart()
    await worker.invoke(runEvent(task.id))
    return world.takenApart()
  }
  await runFor(0)
  const short = await runFor(0)
  const long = await runFor(RUN_MS)
  const seconds = RUN_MS / 1_000
  return { read: (long.read - short.read) / seconds, write: (long.write - short.write) / seconds }
}
