import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Queue } from '../ports/queue.ts'
import type { Store } from '../ports/store.ts'
import { createAnalytics } from './analytics.ts'
import { createClaims } from './claims.ts'
import { createTaskControl } from './control.ts'
import { createCorrections } from './corrections.ts'
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
import { createMessageFor } from './messages.ts'
import { createReconcile } from './reconcile.ts'
import { createCounterCheck } from './reconcile-counters.ts'
import { createRecovery } from './recovery.ts'
import { createRedrive } from './redrive.ts'
import { createRuns } from './runs.ts'
import type { RunTask } from './schema.ts'
import { createStanding } from './standing.ts'
import { createTelling } from './telling.ts'

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
  const messageFor = createMessageFor(needs)
  const telling = createTelling({ ...needs, reconcile, messageFor })
  const lifecycle = tellingEnds(createLifecycle({ ...needs, reconcile, telling }), needs.ended)
  const enqueueing = createEnqueue({ ...needs, lifecycle, messageFor })
  const creation = createTaskCreation({ ...needs, lifecycle, reconcile, telling, enqueueing })
  const writes = createRuns({ ...needs, lifecycle, reconcile, enqueueing })
  const runs = { ...createClaims({ ...needs, lifecycle, overtaken: writes.overtaken }), ...writes }
  const correct = createCorrections(needs)
  return {
    ...createTaskControl({ ...needs, lifecycle, reconcile, creation }),
    redrive: createRedrive({ ...needs, lifecycle, reconcile, telling, enqueueing }),
    ...createStanding(needs),
    create: creation.create,
    prepare: creation.prepare,
    createOnce: createOnceCreation({ ...needs, reconcile, telling, enqueueing, creation }),
    list: createTaskList(needs),
    filter: createTaskFilter(needs),
    analytics: createAnalytics(needs),
    exportAll: createTaskExport(needs),
    importAll: createTaskImport({ ...needs, lifecycle, reconcile, telling, enqueueing }),
    runs,
    recovery: createRecovery({ ...needs, reconcile, enqueueing, runs }),
    checkCounters: createCounterCheck({ ...needs, reconcile, correct }),
    correct,
  }
}
