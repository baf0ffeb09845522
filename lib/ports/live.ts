import type { LiveDraft } from '../core/collection.ts'

/** Whether live readers are connected. While there is none, nothing is published. */
export interface LiveWatch {
  /**
   * Marks for the next 30 seconds that a reader is connected. Resolves to the epoch milliseconds since when, without a gap,
   * everything has been published.
   */
  extend(): Promise<number>
  isWatched(): Promise<boolean>
}

/** Where storage of one process publishes what live readers see of its commits, once they cannot be lost any more. */
export type LivePublisher = {
  readonly isWatched: boolean
  publish(drafts: readonly LiveDraft[]): void
}
