import { serveGroup } from '../lib/app/cloud-function.ts'
import { openGroup } from '../lib/app/cloud-groups.ts'
import { openMemoryPorts } from '../lib/app/cloud-memory.ts'
import { openBlobs } from '../lib/app/cloud-ports.ts'
import { composeMemory } from '../lib/composition/chat.ts'
import { memoryRoutes } from '../lib/memory/contract.ts'
import { memoryHandlers } from '../lib/memory/handlers.ts'

export const handler = serveGroup(
  memoryRoutes,
  openGroup(
    ({ auth, ports, config }) =>
      memoryHandlers({ memory: composeMemory(auth, openMemoryPorts(config, ports)) }),
    openBlobs,
  ),
)
