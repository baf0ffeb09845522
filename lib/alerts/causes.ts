import type { Approval } from '../approvals/schema.ts'
import type { Task } from '../tasks/schema.ts'
import type { AlertCause } from './schema.ts'

export type FindCauses = {
  findTask: (id: string) => Promise<Task | undefined>
  /** An approval that still waits for a decision. */
  findPending: (id: string) => Promise<Approval | undefined>
}

/** What a message is about, as it is when the message is sent; undefined when that is over. */
export const createReadCause =
  ({ findTask, findPending }: FindCauses) =>
  async (cause: AlertCause): Promise<{ approval: Approval } | { task: Task } | undefined> => {
    if (cause.topic === 'approvals') {
      const approval = await findPending(cause.approvalId)
      return approval && { approval }
    }
    const task = await findTask(cause.taskId)
    return task?.completedAt === cause.endedAt ? { task } : undefined
  }
export type ReadCause = ReturnType<typeof createReadCause>
