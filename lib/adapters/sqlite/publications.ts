import type { LiveDraft } from '../../core/collection.ts'
import type { LivePublisher } from '../../ports/live.ts'

export type Publications = ReturnType<typeof openPublications>

/** The live events of a batch: they are published when it is durable, or never. */
export const openPublications = (publisher: LivePublisher | undefined) => {
  const drafts: LiveDraft[] = []
  const take = () => drafts.splice(0)
  return {
    get isWatched(): boolean {
      return publisher?.isWatched === true
    },
    add: (more: readonly LiveDraft[]): void => {
      drafts.push(...more)
    },
    rolledBack: () => void take(),
    durable: () => {
      const published = take()
      if (published.length > 0) publisher?.publish(published)
    },
  }
}
