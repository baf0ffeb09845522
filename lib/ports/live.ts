import type { LiveDraft } from '../core/collection.ts'

/** Whether live readers are connected. Without readers nothing is published. */
export interface LiveWatch {
  /**
   * Marks a reader as connected for the next 30 seconds. Resolves to the time (epoch milliseconds) since which everything
   * has been published without a gap.
   */
  extend(): Promise<number>
  isWatched(): Promise<boolean>
}

/** Receives the live events of a commit, from the storage of one process, once the commit is durable. */
export type LivePublisher = {
  readonly isWatched: boolean
  publish(drafts: readonly LiveDraft[]): void
}
