import type { Models } from '../ports/model.ts'
import type { Turns } from '../turns/service.ts'
import { createCompletions } from './completions.ts'
import { createSend } from './send.ts'

type Needs = Parameters<typeof createCompletions>[0] &
  Parameters<typeof createSend>[0] & { turns: Turns; models: Models }

export type Chat = ReturnType<typeof createChat>

/** Completions, and the turns of conversations that are answered as a whole. */
export const createChat = (needs: Needs) => ({
  models: needs.models,
  completions: createCompletions(needs),
  send: createSend(needs),
})
