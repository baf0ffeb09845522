import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Queue } from '../ports/queue.ts'
import type { Store } from '../ports/store.ts'
import { createAnalytics } from './analytics.ts'
import { createClaims } from './claims.ts'
import { createTaskControl } from './control.ts'
import { type AgentChoice, createTaskCreation } from './create.ts'
import { createOnceCreation } from './create-once.ts'
import { type HearEnd, tellingEnds } from './ends.ts'
import { createEnqueue } from './enqueue.ts'
import { createTaskExport } from './export.ts'
import type { GiveUp } from './failing.ts'
import { createTaskFilter } from './filter.ts'
import { createTaskImport } from './import.ts'
import { createLifecycle } from './lifecycle.ts'
import { createTaskList } from './list.ts'
import { createReconcile } from './reconcile.ts'
import { createCounterCheck } from './reconcile-counters.ts'
import { createRecovery } from './recovery.ts'
import { createRuns } from './runs.ts'
import type { RunTask } from './schema.ts'
import { createStanding } from './standing.ts'

type Needs = {
  store: Store
  queue: Queue<RunTask>
  agents: AgentChoice
  giveUp: GiveUp
  stopRun: (taskId: string) => void
  ended: HearEnd
  clock: Clock
  ids: Ids
  log: Log
  maxAttempts: () => number
  leaseMs: number
}

export type Tasks = ReturnType<typeof createTasks>

/** Everything that can be done with tasks: what callers ask for, the writes of a run, and recovery. */
export const createTasks = (needs: Needs) => {
  const reconcile = createReconcile(needs)
  const lifecycle = tellingEnds(createLifecycle({ ...needs, reconcile }), needs.ended)
  const enqueueing = createEnqueue({ ...needs, lifecycle })
  const creation = createTaskCreation({ ...needs, lifecycle, reconcile, enqueueing })
  const writes = createRuns({ ...needs, lifecycle, reconcile, enqueueing })
  const runs = { ...createClaims({ ...needs, lifecycle, overtaken: writes.overtaken }), ...writes }
  return {
    ...createTaskControl({ ...needs, lifecycle, reconcile, enqueueing, creation }),
    ...createStanding(needs),
    create: creation.create,
    prepare: creation.prepare,
    createOnce: createOnceCreation({ ...needs, reconcile, enqueueing, creation }),
    list: createTaskList(needs),
    filter: createTaskFilter(needs),
    analytics: createAnalytics(needs),
    exportAll: createTaskExport(needs),
    importAll: createTaskImport({ ...needs, lifecycle, reconcile, enqueueing }),
    runs,
    recovery: createRecovery({ ...needs, reconcile, enqueueing, runs }),
    checkCounters: createCounterCheck({ ...needs, reconcile }),
  }
}
