import type { Principal } from '../core/principal.ts'
import type { Feed } from '../feed/feed.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Queue } from '../ports/queue.ts'
import type { Repositories } from '../ports/repositories.ts'
import type { Store } from '../ports/store.ts'
import { createAnalytics } from './analytics.ts'
import { createRedrive, createTaskCommands, type ResolveDeadLetter } from './commands.ts'
import { type AgentChoice, createTaskCreation } from './create.ts'
import { createTaskExport } from './export.ts'
import { createImportLimit, createTaskImport } from './import.ts'
import { createLease, type DeadLetterOf } from './lease.ts'
import { createTaskFilter, createTaskList, createTaskSelection } from './list.ts'
import { createTaskReads } from './read.ts'
import { createRecovery } from './recovery.ts'
import type { RunTask, Task, TaskEvent } from './schema.ts'
import { createTransitions } from './transitions.ts'
import type { TaskApprovals } from './wait.ts'

type Needs = {
  store: Store
  feed: Feed
  queue: Queue<RunTask>
  agents: AgentChoice
  repositories: Pick<Repositories, 'check'>
  deadLetterOf: DeadLetterOf
  approvals: TaskApprovals
  resolveDeadLetter: ResolveDeadLetter
  stopRun: (taskId: string) => void
  ended: (task: Task) => Promise<void>
  publishProgress?: (taskId: string) => void
  sendsNotice: (type: TaskEvent['type']) => boolean
  clock: Clock
  ids: Ids
  log: Log
  limiter: Limiter
  audit: (principal: Principal, action: string, details?: object) => Promise<void>
  maxAttempts: () => number
  leaseMs: number
}

export type Tasks = ReturnType<typeof createTasks>

/** All verbs on tasks: those of callers, those of a run, and recovery. */
export const createTasks = (needs: Needs) => {
  const { longestDelayMs } = needs.queue
  const transitions = createTransitions(needs)
  const reads = createTaskReads(needs)
  const creation = createTaskCreation({ ...needs, transitions })
  const lease = createLease({ ...needs, transitions, longestDelayMs })
  return {
    ...reads,
    ...creation,
    ...createTaskCommands({ ...needs, transitions, reads, creation }),
    redrive: createRedrive({ ...needs, transitions }),
    list: createTaskList(needs),
    filter: createTaskFilter(needs),
    selection: createTaskSelection(needs),
    analytics: createAnalytics(needs),
    exportAll: createTaskExport(needs),
    countImport: createImportLimit(needs),
    importAll: createTaskImport({ ...needs, transitions }),
    lease,
    recovery: createRecovery({ ...needs, transitions, lease }),
  }
}
