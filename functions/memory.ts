import type { SqsEvent } from '../lib/adapters/aws/sqs/sqs-batch.ts'
import { serveGroup } from '../lib/app/cloud-function.ts'
import { openGroup } from '../lib/app/cloud-groups.ts'
import { createBucketEvents, openMemoryPorts } from '../lib/app/cloud-memory.ts'
import { openBasePorts, openBlobs } from '../lib/app/cloud-ports.ts'
import { createAuthContext } from '../lib/composition/auth.ts'
import { composeMemory } from '../lib/composition/chat.ts'
import { readConfig } from '../lib/config/config.ts'
import type { HttpEvent } from '../lib/http/event.ts'
import { memoryRoutes } from '../lib/memory/contract.ts'
import { memoryHandlers } from '../lib/memory/handlers.ts'

const serve = serveGroup(
  memoryRoutes,
  openGroup(
    ({ auth, ports, config }) =>
      memoryHandlers({ memory: composeMemory(auth, openMemoryPorts(config, ports)) }),
    openBlobs,
  ),
)

const openEvents = () => {
  const config = readConfig()
  const ports = openBasePorts(config, openBlobs(config))
  const memory = composeMemory(createAuthContext(ports, config), openMemoryPorts(config, ports))
  return createBucketEvents({ memory, log: ports.log })
}
let takeEvents: ReturnType<typeof openEvents> | undefined

/** Answers requests, and handles the bucket's events about memory files. */
export const handler = async (event: HttpEvent | SqsEvent, context: object) => {
  if (!('Records' in event)) return serve(event, context)
  takeEvents ??= openEvents()
  return takeEvents(event)
}
