import type { Principal } from '../core/principal.ts'
import type { CreateTask, Task } from '../tasks/schema.ts'

/** What the webhooks need of the tasks. */
export type WebhookTasks = {
  /** A task under an id that was chosen before; the function that it returns stores it, or answers the one that is there. */
  prepare(principal: Principal, body: CreateTask, id: string): () => Promise<Task>
  /** The whole task; undefined when there is none. */
  find(id: string): Promise<Task | undefined>
  /** Whether it has ended; undefined when there is none. */
  isOver(id: string): Promise<boolean | undefined>
  /** A task that goes on for the issue of this one, which has ended: a retry, or one before it that was put back. */
  liveLike(id: string): Promise<string | undefined>
}
