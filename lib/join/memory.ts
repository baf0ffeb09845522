import { createMemory, type MemoryPorts, type Watching } from '../memory/service.ts'
import type { Entry } from './entry.ts'

/** What hears of changes of memory files, where something does. */
export type MemoryJoinPorts = MemoryPorts & { watchingMemory: Watching }

/** Memory, and who is put on record for clearing it. */
export const joinMemory = ({ audit }: Pick<Entry, 'audit'>, { watchingMemory, ...ports }: MemoryJoinPorts) =>
  createMemory({ ...ports, watching: watchingMemory, audit: audit.record })
