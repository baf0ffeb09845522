import { clipped } from '../core/clipped.ts'
import { mostTokensOf, promptTokensOf, tokensOf, tokensOfTools } from '../core/context-window.ts'
import type { ModelMessage } from '../ports/model.ts'

/** Characters of a result that stay of it at least. */
const SHORTEST_RESULT = 2_000
/** Of the note that says how much of a result is left out. */
const NOTE = 100

type Result = Extract<ModelMessage, { role: 'tool' }>

/**
 * Keeps the messages of one turn within the window of its model: where they are more, results of tools are cut, the oldest
 * first. Those that the model has answered to keep a beginning, those of the last step as much as fits.
 */
export const createWindow = (contextTokens: number, specs: readonly object[]) => {
  const most = promptTokensOf(contextTokens) - tokensOfTools(specs)
  // A message is estimated once: each step adds few to many.
  const costs = new WeakMap<ModelMessage, number>()
  const costOf = (message: ModelMessage): number => {
    const known = costs.get(message) ?? tokensOf([message])
    costs.set(message, known)
    return known
  }

  const cut = (result: Result, kept: number): Result =>
    result.content.length <= kept + NOTE ? result : { ...result, content: clipped(result.content, kept) }

  return (messages: readonly ModelMessage[]): ModelMessage[] => {
    if (mostTokensOf(messages) <= most) return [...messages]
    let over = messages.reduce((sum, message) => sum + costOf(message), 0) - most
    const last = messages.findLastIndex(({ role }) => role === 'assistant')
    return messages.map((message, at) => {
      if (message.role !== 'tool' || over <= 0) return message
      const part = at < last ? 0 : Math.max(0, 1 - over / costOf(message))
      const kept = Math.max(SHORTEST_RESULT, Math.floor(message.content.length * part) - NOTE)
      const shorter = cut(message, kept)
      over -= costOf(message) - costOf(shorter)
      return shorter
    })
  }
}
