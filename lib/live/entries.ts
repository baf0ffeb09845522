import type { LiveDraft } from '../core/collection.ts'

/** More than a page can patch: it is told to read anew instead. */
const MOST_DRAFTS = 200
/** Below what one append may have. */
const MOST_CHARACTERS = 200_000

/** What tells readers that they have missed something, and have to read all again. */
export const RESET: LiveDraft = { type: 'reset', data: {} }

/**
 * The drafts of many commits as one append: of one row only the last is left, and too many or too large ones are one
 * `reset`. A row that was created and changed is created with what it is now.
 */
export const coalesced = (drafts: readonly LiveDraft[]): readonly LiveDraft[] => {
  const last = new Map<string, LiveDraft>()
  for (const draft of drafts) {
    const [kind = ''] = draft.type.split('.')
    const { id } = draft.data as { id?: unknown }
    const key = `${kind} ${id} ${draft.audience ?? ''}`
    const isNew = last.get(key)?.type === `${kind}.created` && draft.type === `${kind}.updated`
    last.delete(key)
    last.set(key, isNew ? { ...draft, type: `${kind}.created` } : draft)
    if (last.size > MOST_DRAFTS) return [RESET]
  }
  const left = [...last.values()]
  return JSON.stringify(left).length > MOST_CHARACTERS ? [RESET] : left
}
