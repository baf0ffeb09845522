import type { RunTask, Task, TaskError, TaskResult } from '../tasks/schema.ts'

/** A claimed task. */
export type Claimed = Task & { fence: number; leaseExpiresAt?: number }

/** A claim. `durable` resolves when a death of the process cannot undo it, and rejects when it is void. */
export type Claim = { task: Claimed; durable: Promise<void> }

/** The writes of a run; those with `held` apply only while the task is held under the same fencing number. */
export type RunWrites = {
  claim(message: RunTask): Promise<Claim | undefined>
  claimAhead(message: RunTask): Promise<Claim | undefined>
  renew(held: Claimed, message?: string): Promise<boolean>
  isHeld(held: Claimed): Promise<boolean>
  succeed(held: Claimed, result: TaskResult): Promise<unknown>
  retry(held: Claimed, error: TaskError, delayMs: number): Promise<unknown>
  exhaust(held: Claimed, error: TaskError): Promise<unknown>
  release(held: Claimed, reason: string): Promise<unknown>
}
