import type { Principal } from '../core/principal.ts'
import type { Trace } from '../core/trace.ts'
import type { AnyWrite } from '../ports/store.ts'
import type { CreateTask, Task } from '../tasks/schema.ts'

/** What the webhooks need of the tasks. */
export type WebhookTasks = {
  /** A new task under an id that was chosen before, and the write that stores and queues it. */
  draft(
    principal: Principal,
    body: CreateTask,
    more: { id?: string; trace?: Trace | undefined },
  ): { task: Task; write: AnyWrite }
  /** The whole task; undefined when there is none. */
  find(id: string): Promise<Task | undefined>
  /** An unfinished task for the issue of this one, which has ended: a retry, or one before it that was redriven. */
  unfinishedLike(id: string): Promise<Task | undefined>
}
