import type { Principal } from '../core/principal.ts'
import { createAnalytics } from './analytics.ts'
import { createAttemptReads } from './attempts.ts'
import { createRedrive, createTaskCommands } from './commands.ts'
import { createTaskCreation } from './create.ts'
import { createTaskExport } from './export.ts'
import { createImportLimit, createTaskImport } from './import.ts'
import { createLease } from './lease.ts'
import { createTaskFilter, createTaskList, createTaskSelection } from './list.ts'
import { createKeepsWorkspace, createPlace } from './place.ts'
import { createTaskReads } from './read.ts'
import { createRecovery } from './recovery.ts'
import { createReplies } from './replies.ts'
import { createRecentResults } from './results.ts'
import { createRunnerNotices, createTasksWithoutRunner } from './runner-notices.ts'
import { createThreads } from './thread.ts'
import { createTransitions } from './transitions.ts'
import { createWithWaits } from './waits.ts'

/** What the parts need, but for what they give to each other. */
type Needs = Omit<
  Parameters<typeof createTransitions>[0] &
    Parameters<typeof createTaskReads>[0] &
    Parameters<typeof createTaskCreation>[0] &
    Parameters<typeof createTaskCommands>[0] &
    Parameters<typeof createTaskImport>[0] &
    Parameters<typeof createImportLimit>[0] &
    Parameters<typeof createLease>[0] &
    Parameters<typeof createRecovery>[0] &
    Parameters<typeof createReplies>[0] &
    Parameters<typeof createWithWaits>[0] &
    Parameters<typeof createRunnerNotices>[0],
  | 'transitions'
  | 'reads'
  | 'creation'
  | 'lease'
  | 'threads'
  | 'commands'
  | 'longestDelayMs'
  | 'audit'
  | 'withWaits'
> & { audit: (principal: Principal, action: string, details?: object) => Promise<void> }

export type Tasks = ReturnType<typeof createTasks>

export const createTasks = (needs: Needs) => {
  const { longestDelayMs } = needs.queue
  const transitions = createTransitions(needs)
  const withWaits = createWithWaits(needs)
  const reads = createTaskReads({ ...needs, withWaits })
  const creation = createTaskCreation({ ...needs, transitions })
  const threads = createThreads(needs)
  const commands = createTaskCommands({ ...needs, transitions, reads, creation, threads })
  const lease = createLease({ ...needs, transitions, longestDelayMs })
  return {
    ...reads,
    ...createAttemptReads(needs),
    ...creation,
    ...commands,
    readThread: threads.readThread,
    messagesWaitingFor: threads.messagesWaitingFor,
    place: createPlace(needs),
    keepsWorkspace: createKeepsWorkspace({ ...needs, threads }),
    replies: createReplies({ ...needs, reads, creation, threads, commands }),
    redrive: createRedrive({ ...needs, transitions }),
    list: createTaskList({ ...needs, withWaits }),
    filter: createTaskFilter({ ...needs, withWaits }),
    selection: createTaskSelection(needs),
    analytics: createAnalytics(needs),
    exportAll: createTaskExport(needs),
    countImport: createImportLimit(needs),
    importAll: createTaskImport({ ...needs, transitions }),
    lease,
    recentResults: createRecentResults(needs),
    withoutRunner: createTasksWithoutRunner(needs),
    tellOfMissingRunners: createRunnerNotices(needs),
    recovery: createRecovery({ ...needs, transitions, lease }),
  }
}
