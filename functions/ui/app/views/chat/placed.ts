import type { ChatMessage } from '../../data/chat.ts'
import type { Run } from '../../run/run.ts'

export type Placed = { before: readonly ChatMessage[]; after: readonly ChatMessage[]; isShown: boolean }

/** A run replaces its stored messages, since it has more detail. It is hidden if its message is not loaded. */
export const placed = (messages: readonly ChatMessage[], run: Run | undefined, isLive: boolean): Placed => {
  const asked = run?.message?.id
  if (asked === undefined) return { before: messages, after: [], isShown: false }
  const at = messages.findIndex(({ id }) => id === asked)
  if (at < 0) return { before: messages, after: [], isShown: isLive || messages.length === 0 }
  const next = messages.findIndex(({ role }, n) => n > at && role === 'user')
  return { before: messages.slice(0, at), after: next < 0 ? [] : messages.slice(next), isShown: true }
}

export const isUnanswered = (
  messages: readonly ChatMessage[],
  run: Run | undefined,
  isLive: boolean,
): boolean => {
  const { after, isShown } = placed(messages, run, isLive)
  return (after.at(-1) ?? (isShown ? undefined : messages.at(-1)))?.role === 'user'
}
