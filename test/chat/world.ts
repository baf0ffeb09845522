import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { createForgetSessions } from '../../lib/agentic/forget.ts'
import { createChat } from '../../lib/chat/service.ts'
import { collections } from '../../lib/collections.ts'
import { createRecordedApprovals } from '../../lib/composition/security.ts'
import { createMasker } from '../../lib/core/masker.ts'
import type { Principal } from '../../lib/core/principal.ts'
import { createFeed } from '../../lib/feed/feed.ts'
import type { TakeUserSlot } from '../../lib/limits/user-slots.ts'
import type { MemoryChunk } from '../../lib/memory/schema.ts'
import type { Models } from '../../lib/ports/model.ts'
import type { Store } from '../../lib/ports/store.ts'
import type { Toolbox, ToolSession } from '../../lib/ports/tool.ts'
import type { Workspace, Workspaces } from '../../lib/ports/workspace.ts'
import type { Task } from '../../lib/tasks/schema.ts'
import { createLoop } from '../../lib/tools/loop.ts'
import { createConversations } from '../../lib/turns/conversations.ts'
import { createConversationRemoval } from '../../lib/turns/removal.ts'
import { createTurns } from '../../lib/turns/service.ts'
import { createSnapshots, noSnapshots } from '../../lib/turns/snapshots.ts'
import { createFakeClock, type FakeClock } from '../fakes/clock.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { createFakeLog } from '../fakes/log.ts'
import { fakeToolbox } from '../fakes/toolbox.ts'

export const ANN: Principal = { userId: 'user_ann', role: 'user' }
export const BOB: Principal = { userId: 'user_bob', role: 'user' }
export const PAGE = { limit: 50 }
export const TIMEOUT_MS = 180_000
/** As a proxy in front of the service has it. */
export const FIRST_BYTE_MS = 105_000

type Given = {
  models: Models
  openTools?: (session: ToolSession) => Toolbox
  memory?: readonly MemoryChunk[]
  tasks?: readonly Task[]
  findTask?: (id: string) => Promise<Task | undefined>
  wrapStore?: (store: Store) => Store
  /** What the process keeps workspaces on; another one has another. */
  disk?: Workspaces
  holdsRights?: (principal: Principal) => Promise<boolean>
  isDisabled?: (userId: string) => Promise<boolean>
  takeTurnSlot?: TakeUserSlot
}

/** One storage, and as many processes on it as a test starts: a process that is left behind is one that was killed. */
export const createWorld = () => {
  const clock = createFakeClock()
  return createWorldOn(openSqliteStore({ file: ':memory:', collections, clock }), clock)
}

/** The same on any storage. */
export const createWorldOn = (store: Store, clock: FakeClock) => {
  const log = createFakeLog()
  const ids = createFakeIds(clock)
  const removedWorkspaces: string[] = []
  const process = ({
    models,
    openTools,
    memory = [],
    tasks = [],
    findTask = async (id) => tasks.find((task) => task.id === id),
    wrapStore = (same) => same,
    disk,
    holdsRights = async () => true,
    isDisabled = async () => false,
    takeTurnSlot = async () => async () => undefined,
  }: Given) => {
    const ports = { clock, log, ids, store: wrapStore(store) }
    const taskExists = async (id: string) => (await findTask(id)) !== undefined
    const conversations = createConversations({ ...ports, taskExists })
    const feed = createFeed(ports)
    const approvals = createRecordedApprovals({ ...ports, masker: createMasker([]) })
    const times = { timeoutMs: TIMEOUT_MS, firstByteMs: FIRST_BYTE_MS }
    const turns = createTurns({
      ...ports,
      ...times,
      models,
      conversations,
      loop: createLoop({ models }),
      openTools: openTools ?? (() => fakeToolbox(never, { specs: [] })),
      workspaces: disk ?? { open: async (name) => ({ root: `/${name}` }) as Workspace },
      findTask,
      findTicketTask: async (source, id) =>
        tasks.find((task) => task.source === source && task.sourceId === id),
      readTicket: async () => undefined,
      recall: async () => memory,
      hasMemorySession: async () => memory.length > 0,
      snapshots:
        disk === undefined
          ? noSnapshots
          : createSnapshots({ ...ports, workspaces: disk, changesFiles: (tool) => tool !== 'read_file' }),
      withdrawApprovals: approvals.withdraw,
      holdsRights,
      isDisabled,
      takeTurnSlot,
      countCost: async () => undefined,
    })
    const chat = createChat({ ...ports, ...times, models, turns, defaultMode: () => 'ask' })
    const ends = {
      conversationRemoval: createConversationRemoval({
        ...ports,
        conversations,
        stopTurn: turns.stop,
        removeWorkspace: async (name) => void removedWorkspaces.push(name),
        forgetSessions: createForgetSessions({ ...ports, feed }),
        forgetApprovals: approvals.forget,
      }),
      cancelTurn: turns.cancel,
    }
    const begin = async (given = {}, principal = ANN) => (await conversations.create(principal, given)).id
    const read = async (id: string, principal = ANN) =>
      (await conversations.get(principal, id, { limit: 200 })).messages
    const send = { ...chat.send, stopAll: turns.stopAll }
    return {
      ...chat,
      ...ends,
      send,
      turns: { ...turns, resume: send.resume },
      conversations,
      approvals,
      feed,
      begin,
      read,
    }
  }
  return { clock, log, store, process, removedWorkspaces, [Symbol.asyncDispose]: () => store.close() }
}

export type Process = ReturnType<ReturnType<typeof createWorld>['process']>

const never = async (): Promise<never> => {
  throw new Error('There are no tools here')
}
