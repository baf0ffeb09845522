import { openSqliteStore, type SqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { createConversations } from '../../lib/chat/conversations.ts'
import { createChat } from '../../lib/chat/service.ts'
import { collections } from '../../lib/collections.ts'
import type { Principal } from '../../lib/core/principal.ts'
import type { MemoryChunk } from '../../lib/memory/schema.ts'
import type { Models } from '../../lib/ports/model.ts'
import type { Store } from '../../lib/ports/store.ts'
import type { Toolbox, ToolSession } from '../../lib/ports/tool.ts'
import type { Workspace } from '../../lib/ports/workspace.ts'
import type { Task } from '../../lib/tasks/schema.ts'
import { createLoop } from '../../lib/tools/loop.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { createFakeLog } from '../fakes/log.ts'

export const ANN: Principal = { userId: 'user_ann', role: 'user' }
export const BOB: Principal = { userId: 'user_bob', role: 'user' }
export const PAGE = { limit: 50 }
export const TIMEOUT_MS = 180_000

type Given = {
  models: Models
  openTools?: (session: ToolSession) => Toolbox
  memory?: readonly MemoryChunk[]
  tasks?: readonly Task[]
  wrapStore?: (store: Store) => Store
}

/** One storage, and as many processes on it as a test starts: a process that is left behind is one that was killed. */
export const createWorld = () => {
  const [clock, log] = [createFakeClock(), createFakeLog()]
  const ids = createFakeIds(clock)
  const store: SqliteStore = openSqliteStore({ file: ':memory:', collections, clock })
  const process = ({ models, openTools, memory = [], tasks = [], wrapStore = (same) => same }: Given) => {
    const ports = { ...{ clock, log, ids }, store: wrapStore(store) }
    const conversations = createConversations(ports)
    const chat = createChat({
      ...{ ...ports, models, conversations, loop: createLoop({ models }) },
      openTools:
        openTools ?? (() => ({ specs: [], title: () => '', call: never, ask: async () => undefined })),
      workspaces: { open: async (name) => ({ root: `/${name}` }) as Workspace },
      findTask: async (id) => tasks.find((task) => task.id === id),
      findTicketTask: async (source, id) =>
        tasks.find((task) => task.source === source && task.sourceId === id),
      recall: async () => memory,
      hasMemorySession: async () => memory.length > 0,
      defaultMode: () => 'ask',
      timeoutMs: TIMEOUT_MS,
    })
    const begin = async (given = {}, principal = ANN) => (await conversations.create(principal, given)).id
    const read = async (id: string, principal = ANN) =>
      (await conversations.get(principal, id, { limit: 200 })).messages
    return { ...chat, conversations, begin, read }
  }
  return { ...{ clock, log, store, process }, [Symbol.asyncDispose]: () => store.close() }
}

export type Process = ReturnType<ReturnType<typeof createWorld>['process']>

const never = async (): Promise<never> => {
  throw new Error('There are no tools here')
}
