import { createMemory, type MemoryPorts, type Watching } from '../memory/service.ts'
import type { AuthContext } from './auth-context.ts'

/** What hears of changes of memory files, where something does. */
export type MemoryJoinPorts = MemoryPorts & { watchingMemory: Watching }

/** Memory, and who is put on record for clearing it. */
export const joinMemory = (
  { audit }: Pick<AuthContext, 'audit'>,
  { watchingMemory, ...ports }: MemoryJoinPorts,
) => createMemory({ ...ports, watching: watchingMemory, audit: audit.record })
