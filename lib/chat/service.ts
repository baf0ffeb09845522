import { createCompaction } from './compaction.ts'
import { createCompletions } from './completions.ts'
import { createContext } from './context.ts'
import { createTurnLeases } from './leases.ts'
import { createSend } from './send.ts'
import { createTurns } from './turns.ts'

/** What the parts need, without the parts. */
type Needs = Omit<
  Parameters<typeof createContext>[0] &
    Parameters<typeof createTurns>[0] &
    Parameters<typeof createCompletions>[0] &
    Parameters<typeof createSend>[0],
  'context' | 'leases' | 'compaction' | 'turns'
>

/** The ports that call models, made by the process with their keys. */
export type ChatPorts = Pick<Needs, 'models' | 'loop' | 'openTools' | 'workspaces'>

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
    /** Turns that are answered as a session; `stop` and `isHere` are about those of this process. */
    turns: {
      begin: turns.begin,
      finish: turns.finish,
      fail: turns.fail,
      resume: send.resume,
      stop: leases.stop,
      isHere: leases.isHere,
    },
  }
}
