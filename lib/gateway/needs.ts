import type { Principal } from '../core/principal.ts'
import type { CreateTask, Task } from '../tasks/schema.ts'

/** What the gateway needs of the tasks. */
export type GatewayTasks = {
  /**
   * A task under an id that was chosen before. Throws Problem `invalid` for one that cannot be; the function that it
   * returns stores it, and answers the one that is there when it was stored before.
   */
  prepare(principal: Principal, body: CreateTask, id: string): () => Promise<Task>
  /** The whole task; undefined when there is none. */
  find(id: string): Promise<Task | undefined>
  /** Whether it has ended; undefined when there is none. */
  isOver(id: string): Promise<boolean | undefined>
  /** The last thing that its agent said of its progress. */
  lastProgress(id: string): Promise<string | undefined>
}
