import { messageOf } from '../core/errors.ts'
import type { Log } from '../ports/log.ts'
import type { Queue } from '../ports/queue.ts'
import type { MessageFor } from './messages.ts'
import type { Reconcile } from './reconcile.ts'
import type { TaskRow } from './rows.ts'
import type { RunTask } from './schema.ts'

type Needs = {
  reconcile: Pick<Reconcile, 'tellBirth' | 'tellMove' | 'settle'>
  queue: Queue<RunTask>
  messageFor: MessageFor
  log: Log
}

export type Telling = ReturnType<typeof createTelling>

/** What storage refused a moment ago it takes by then, as a rule; else the message comes again. */
const AGAIN_MS = 10_000

/**
 * Tells what follows from a change that is stored, for a caller to whom a refusal of that would say that nothing was:
 * he would ask again, and get a second task. The row remembers what is owed until somebody has told it.
 */
export const createTelling = ({ reconcile, queue, messageFor, log }: Needs) => {
  /**
   * The task's message once more: of two, one comes too late for a claim, and whoever gets it tells what is missing. A
   * pending task is told of by the tick that queues it.
   */
  const sendAgain = async (row: TaskRow): Promise<void> => {
    if (row.status === 'pending') return
    await queue.send([{ ...messageFor(row), delayMs: Math.min(AGAIN_MS, queue.longestDelayMs) }])
  }

  const owing = async (row: TaskRow, refused: unknown): Promise<void> => {
    const { id: taskId } = row
    log.warn({ taskId, reason: messageOf(refused) }, 'the task is stored, its events and totals follow later')
    await sendAgain(row).catch((thrown) =>
      log.warn(
        { taskId, reason: messageOf(thrown) },
        'what the task owes is left to the check of the counters',
      ),
    )
  }

  const unlessRefused = async (row: TaskRow, tell: (row: TaskRow) => Promise<void>): Promise<boolean> => {
    try {
      await tell(row)
      return true
    } catch (thrown) {
      await owing(row, thrown)
      return false
    }
  }

  return {
    /** Tells what follows from a creation; resolves to whether that is told. Never rejects. */
    birth: (row: TaskRow): Promise<boolean> => unlessRefused(row, reconcile.tellBirth),
    /** The same of a move, of the row that it left. */
    move: (row: TaskRow): Promise<boolean> => unlessRefused(row, reconcile.tellMove),
    /** Tells what somebody else, who stored the task, may have left untold. Never rejects: he or a tick does it too. */
    settle: async (taskId: string): Promise<void> => {
      await reconcile
        .settle(taskId)
        .catch((thrown) =>
          log.warn({ taskId, reason: messageOf(thrown) }, 'the task was not looked at again'),
        )
    },
  }
}
