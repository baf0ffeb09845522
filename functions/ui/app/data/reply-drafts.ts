import { newIdempotencyKey } from './idempotency-key.ts'
import { createShared } from './stored.ts'

/** `sent`: the last request and its key. Its answer may be lost, and the page reloaded since. */
type Draft = { readonly content: string; readonly sent?: { readonly content: string; readonly key: string } }
/** Unsent replies by thread. */
type Drafts = Readonly<Record<string, Draft>>

const isDrafts = (value: unknown): value is Drafts =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((draft) => typeof Object(draft).content === 'string')

const drafts = createShared<Drafts>('reply-drafts', {}, isDrafts)
const MOST = 20

export const useDraft = (threadId: string): string => drafts.use()[threadId]?.content ?? ''

/** The oldest of many drafts is dropped. */
const set = (threadId: string, draft: Draft | undefined) =>
  drafts.update((all) => {
    const others = Object.entries(all).filter(([id]) => id !== threadId)
    return Object.fromEntries(draft ? [...others.slice(1 - MOST), [threadId, draft]] : others)
  })

export const keepReply = (threadId: string, content: string) =>
  set(threadId, content === '' ? undefined : { ...drafts.get()[threadId], content })

/** An unchanged resend has the same idempotency key, and makes one turn. */
export const replyKey = (threadId: string, content: string): string => {
  const draft = drafts.get()[threadId]
  if (draft?.sent?.content === content) return draft.sent.key
  const key = newIdempotencyKey()
  set(threadId, { content, sent: { content, key } })
  return key
}

/** For a reply that was sent. Keeps text that was typed after it, and the key of a later request from another tab. */
export const dropReply = (threadId: string, content: string) => {
  const draft = drafts.get()[threadId]
  if (draft === undefined || draft.content === content) return set(threadId, undefined)
  set(threadId, draft.sent?.content === content ? { content: draft.content } : draft)
}

/** For sign-out: the next user must not see the drafts. */
export const dropReplies = () => drafts.update(() => ({}))
