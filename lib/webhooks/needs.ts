import type { Principal } from '../core/principal.ts'
import type { Trace } from '../core/trace.ts'
import type { AnyWrite } from '../ports/store.ts'
import type { IssueRef } from '../ports/tracker.ts'
import type { CreateTask, Task } from '../tasks/schema.ts'
import type { Sender } from './schema.ts'

/** What the webhooks need of the tasks. */
export type WebhookTasks = {
  /** A new task under an id that was chosen before, and the write that stores and queues it. One that is `watched` sends a notice each time it ends. */
  draft(
    principal: Principal,
    body: CreateTask,
    more: { id?: string; watched?: true; trace?: Trace | undefined },
  ): { task: Task; write: AnyWrite; rows: readonly AnyWrite[] }
  /** The whole task; undefined when there is none. */
  find(id: string): Promise<Task | undefined>
  /** Cancels a task that no worker has begun; undefined for one that has been. */
  cancelWaiting(principal: Principal, id: string): Promise<Task | undefined>
  /** An unfinished task for the issue of this one, which has ended: a retry, or one before it that was redriven. */
  unfinishedLike(id: string): Promise<Task | undefined>
}

/** What is stored together with a task so that the issue hears how it ends. */
export type ReportWritesOf = (
  task: Pick<Task, 'id' | 'createdAt'>,
  sender: Sender,
  issue: IssueRef,
) => readonly AnyWrite[]
