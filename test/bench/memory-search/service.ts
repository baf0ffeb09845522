import { createClock } from '../../../lib/adapters/node/clock.ts'
import { createFolderMemory } from '../../../lib/adapters/node/folder-memory.ts'
import { createIds } from '../../../lib/adapters/node/ids.ts'
import { createLog } from '../../../lib/adapters/node/log.ts'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { collections } from '../../../lib/collections.ts'
import { createMasker } from '../../../lib/core/masker.ts'
import { createMemory, type MemoryPorts } from '../../../lib/memory/service.ts'

type Given = { file: string; folder: string } & Pick<
  MemoryPorts,
  'memoryCopies' | 'isMemoryShared' | 'embedding'
>

/** Memory as a process has it that has just started, on a storage and a folder that outlive it. */
export const openMemoryService = ({ file, folder, ...given }: Given) => {
  const clock = createClock()
  const store = openSqliteStore({ file, collections, clock })
  const memory = createMemory({
    checkOwnConversation: async () => undefined,
    clock,
    store,
    ids: createIds({ clock }),
    log: createLog({ level: 'info', masker: createMasker([]) }),
    memoryFiles: createFolderMemory({ folder, clock }),
    ...given,
    watching: () => ({ enabled: false, watching: false }),
    audit: async () => undefined,
  })
  return { memory, close: store.close }
}
