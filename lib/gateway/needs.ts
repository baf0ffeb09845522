import type { Principal } from '../core/principal.ts'
import type { Trace } from '../core/trace.ts'
import type { AnyWrite } from '../ports/store.ts'
import type { CreateTask, Task } from '../tasks/schema.ts'

/** What the gateway needs of the tasks. */
export type GatewayTasks = {
  /**
   * A new task, the write that stores and queues it, and the rows of the same commit. A task that is `watched` sends a notice each time it ends. Throws
   * Problem `invalid` for one that cannot be.
   */
  draft(
    principal: Principal,
    body: CreateTask,
    more: { id?: string; watched?: true; trace?: Trace | undefined },
  ): { task: Task; write: AnyWrite; rows: readonly AnyWrite[] }
  /** Throws Problem `invalid` for a task whose repository this caller may not name. */
  checkRepository(principal: Principal, body: Pick<CreateTask, 'repository'>): Promise<void>
  /** The whole task; undefined when there is none. */
  find(id: string): Promise<Task | undefined>
  /** Whether it has ended; undefined when there is none. */
  isOver(id: string): Promise<boolean | undefined>
  /** Has a task that goes on send a notice when it ends; false when it has ended, or there is none. */
  watch(id: string): Promise<boolean>
  /** The last progress message of its agent. */
  lastProgress(id: string): Promise<string | undefined>
}
