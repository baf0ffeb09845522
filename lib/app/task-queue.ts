import { createMemoryQueue } from '../adapters/memory/queue.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { RunTask } from '../tasks/schema.ts'
import type { Caps } from '../worker/caps.ts'
import { createPlaces } from '../worker/places.ts'

type Needs = { clock: Clock; log: Log; concurrency: number; caps: () => Caps }

/** The queue of run messages in this process, and the places of running tasks under the caps, which it keeps. */
export const openTaskQueue = ({ clock, log, concurrency, caps }: Needs) => {
  const places = createPlaces({ caps })
  const taskQueue = createMemoryQueue<RunTask>({ clock, log, concurrency, admission: places })
  places.onFreed(({ repository = '' }) => taskQueue.admit(repository))
  return { taskQueue, places }
}
