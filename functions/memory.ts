import { serveGroup } from '../lib/app/cloud-function.ts'
import { openGroup } from '../lib/app/cloud-groups.ts'
import { openBlobs, openMemoryPorts } from '../lib/app/cloud-ports.ts'
import { Problem } from '../lib/core/errors.ts'
import { joinMemory } from '../lib/join/memory.ts'
import { memoryRoutes } from '../lib/memory/contract.ts'
import { memoryHandlers } from '../lib/memory/handlers.ts'

/** The library that speaks to models is in no bundle but those of the container. */
const byMeaning = (): never => {
  throw new Problem(
    'unsupported',
    'embedding_model_unsupported',
    'EMBEDDING_MODEL: mode pro searches memory by words only; leave it unset',
  )
}

export const handler = serveGroup(
  memoryRoutes,
  openGroup(({ auth, ports, config }) => {
    const handlers = memoryHandlers({ memory: joinMemory(auth, openMemoryPorts(config, ports)) })
    return config.EMBEDDING_MODEL === undefined
      ? handlers
      : { ...handlers, searchMemory: byMeaning, syncMemory: byMeaning }
  }, openBlobs),
)
