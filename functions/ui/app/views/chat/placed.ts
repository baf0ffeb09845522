import type { ChatMessage } from '../../data/chat.ts'
import type { Run } from '../../run/run.ts'

/** The stored messages around a run: those before its own, and those after its answer. */
export type Placed = { before: readonly ChatMessage[]; after: readonly ChatMessage[]; isShown: boolean }

/**
 * Where a run is among the messages of its conversation. It stands in the place of what was stored of it: it has more.
 * One whose message is further up than what is loaded is not shown.
 */
export const placed = (messages: readonly ChatMessage[], run: Run | undefined, isLive: boolean): Placed => {
  const asked = run?.message?.id
  if (asked === undefined) return { before: messages, after: [], isShown: false }
  const at = messages.findIndex(({ id }) => id === asked)
  if (at < 0) return { before: messages, after: [], isShown: isLive || messages.length === 0 }
  const next = messages.findIndex(({ role }, n) => n > at && role === 'user')
  return {
    before: messages.slice(0, at),
    after: next < 0 ? [] : messages.slice(next),
    isShown: true,
  }
}

/** Whether the last message, besides what the run shows, has no answer: one may be on its way. */
export const isUnanswered = (
  messages: readonly ChatMessage[],
  run: Run | undefined,
  isLive: boolean,
): boolean => {
  const { after, isShown } = placed(messages, run, isLive)
  return (after.at(-1) ?? (isShown ? undefined : messages.at(-1)))?.role === 'user'
}
