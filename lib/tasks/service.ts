import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Queue } from '../ports/queue.ts'
import type { Store } from '../ports/store.ts'
import { createAnalytics } from './analytics.ts'
import { createClaims } from './claims.ts'
import { createTaskControl } from './control.ts'
import { type AgentChoice, createTaskCreation } from './create.ts'
import { createEnqueue } from './enqueue.ts'
import { createTaskExport } from './export.ts'
import type { GiveUp } from './failing.ts'
import { createTaskFilter } from './filter.ts'
import { createTaskImport } from './import.ts'
import { createLifecycle } from './lifecycle.ts'
import { createTaskList } from './list.ts'
import { createRecovery } from './recovery.ts'
import { createRuns } from './runs.ts'
import type { RunTask } from './schema.ts'

type Needs = {
  store: Store
  queue: Queue<RunTask>
  agents: AgentChoice
  giveUp: GiveUp
  stopRun: (taskId: string) => void
  clock: Clock
  ids: Ids
  log: Log
  maxAttempts: () => number
  leaseMs: number
}

export type Tasks = ReturnType<typeof createTasks>

/** Everything that can be done with tasks: what callers ask for, the writes of a run, and recovery. */
export const createTasks = (needs: Needs) => {
  const lifecycle = createLifecycle(needs)
  const enqueueing = createEnqueue({ ...needs, lifecycle })
  const creation = createTaskCreation({ ...needs, lifecycle, enqueueing })
  const runs = {
    ...createClaims({ ...needs, lifecycle }),
    ...createRuns({ ...needs, lifecycle, enqueueing }),
  }
  return {
    ...createTaskControl({ ...needs, lifecycle, enqueueing, creation }),
    create: creation.create,
    createOnce: creation.createOnce,
    list: createTaskList(needs),
    filter: createTaskFilter(needs),
    analytics: createAnalytics(needs),
    exportAll: createTaskExport(needs),
    importAll: createTaskImport({ ...needs, lifecycle, enqueueing }),
    runs,
    recovery: createRecovery({ ...needs, enqueueing, runs }),
  }
}
