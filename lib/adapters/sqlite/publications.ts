import type { LiveDraft } from '../../core/collection.ts'
import type { LivePublisher } from '../../ports/live.ts'
import type { Participant } from './group-commit.ts'

export type Publications = ReturnType<typeof openPublications>

/** What commits publish, a list for each batch: it is published once the batch is in the file, or never. */
export const openPublications = (publisher: LivePublisher | undefined) => {
  let open: LiveDraft[] = []
  const sealed: LiveDraft[][] = []
  return {
    get isWatched(): boolean {
      return publisher?.isWatched === true
    },
    add: (drafts: readonly LiveDraft[]): void => {
      open.push(...drafts)
    },
    seal: (): void => {
      sealed.push(open)
      open = []
    },
    committed: (): void => {
      const drafts = sealed.shift() ?? []
      if (drafts.length > 0) publisher?.publish(drafts)
    },
    voided: (): void => {
      open = []
      sealed.length = 0
    },
  } satisfies Participant & { isWatched: boolean; add(drafts: readonly LiveDraft[]): void }
}
