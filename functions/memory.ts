import { serveGroup } from '../lib/app/cloud-http.ts'
import { openMemory } from '../lib/app/cloud-memory.ts'
import { memoryRoutes } from '../lib/memory/contract.ts'

export const handler = serveGroup(memoryRoutes, openMemory)
