import { newIdempotencyKey } from './idempotency-key.ts'
import { createStored } from './stored.ts'

/** `sent`: the last request and its key. Its answer may be lost, and the page reloaded since. */
type Draft = { readonly content: string; readonly sent?: { readonly content: string; readonly key: string } }
/** Unsent replies by thread. */
type Drafts = Readonly<Record<string, Draft>>

const isDrafts = (value: unknown): value is Drafts =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((draft) => typeof Object(draft).content === 'string')

const drafts = createStored<Drafts>('reply-drafts', {}, isDrafts)
const MOST = 20

export const useDraft = (threadId: string): string => drafts.use()[threadId]?.content ?? ''

/** The oldest of many drafts is dropped. */
const set = (threadId: string, draft: Draft | undefined) => {
  const others = Object.entries(drafts.get()).filter(([id]) => id !== threadId)
  drafts.set(Object.fromEntries(draft ? [...others.slice(1 - MOST), [threadId, draft]] : others))
}

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

/** For a reply that was sent. What was typed since is kept. */
export const dropReply = (threadId: string, sent: string) => {
  const { content = sent } = drafts.get()[threadId] ?? {}
  set(threadId, content === sent ? undefined : { content })
}

/** For sign-out: the next user must not see the drafts. */
export const dropReplies = () => drafts.set({})
