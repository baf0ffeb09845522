import type { SecurityMode } from '../core/security-mode.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Models } from '../ports/model.ts'
import type { Store } from '../ports/store.ts'
import type { RunLoop } from '../ports/tool.ts'
import type { Workspaces } from '../ports/workspace.ts'
import { createCompaction } from './compaction.ts'
import { createCompletions } from './completions.ts'
import { createContext, type FindTask, type FindTicketTask, type Recall } from './context.ts'
import type { Conversations } from './conversations.ts'
import { createSend, type OpenTools } from './send.ts'
import { createTurnLeases, createTurns } from './turns.ts'

/** What calls models, as the process that has their keys makes it. */
export type ChatPorts = {
  models: Models
  loop: RunLoop
  openTools: OpenTools
  workspaces: Pick<Workspaces, 'open'>
}

type Needs = ChatPorts & {
  store: Store
  clock: Clock
  ids: Ids
  log: Log
  conversations: Conversations
  findTask: FindTask
  findTicketTask: FindTicketTask
  recall: Recall
  hasMemorySession: (conversationId: string) => Promise<boolean>
  defaultMode: () => Promise<SecurityMode> | SecurityMode
  timeoutMs: number
}

export type Chat = ReturnType<typeof createChat>

/** Completions, and the turns of conversations. */
export const createChat = (needs: Needs) => {
  const { models } = needs
  const context = createContext(needs)
  const leases = createTurnLeases(needs)
  const turns = createTurns({ ...needs, context, leases, compaction: createCompaction(needs) })
  const send = createSend({ ...needs, turns, leases })
  return {
    models,
    completions: createCompletions({ ...needs, turns, context }),
    send,
    /** For turns that are answered as a session: `begin` and `finish`, and `resume` of one that waited for approval. */
    turns: { begin: turns.begin, finish: turns.finish, fail: turns.fail, resume: send.resume },
  }
}
