import { createClock } from '../../lib/adapters/node/clock.ts'
import { createIds } from '../../lib/adapters/node/ids.ts'
import { createChat } from '../../lib/chat/service.ts'
import { iso } from '../../lib/core/time.ts'
import type { Store } from '../../lib/ports/store.ts'
import type { Workspace } from '../../lib/ports/workspace.ts'
import { createLoop } from '../../lib/tools/loop.ts'
import { createConversations } from '../../lib/turns/conversations.ts'
import { chatMessages, conversations as conversationRows, numberText } from '../../lib/turns/rows.ts'
import { createTurns } from '../../lib/turns/service.ts'
import { noSnapshots } from '../../lib/turns/snapshots.ts'
import { createFakeLog } from '../fakes/log.ts'
import { createScriptedModels } from '../fakes/scripted-models.ts'
import { fakeToolbox } from '../fakes/toolbox.ts'
import { ANN, PAGE } from './world.ts'

/** Of a message: a paragraph. */
const TEXT = 'The nightly import refused three rows, and its last line says neither which nor why. '.repeat(3)
const AT_ONCE = 100

/** Chat on a storage, with a model that answers at once. */
export const openChat = (store: Store) => {
  const clock = createClock()
  const ids = createIds({ clock })
  const models = createScriptedModels([{ text: TEXT }])
  const ports = { store, clock, ids, log: createFakeLog() }
  const conversations = createConversations({ ...ports, taskExists: async () => true })
  const none = async () => undefined
  const times = { timeoutMs: 180_000, firstByteMs: 180_000 }
  const turns = createTurns({
    ...ports,
    ...times,
    models,
    conversations,
    loop: createLoop({ models }),
    openTools: () => fakeToolbox(() => Promise.reject()),
    workspaces: { open: async (name) => ({ root: `/${name}` }) as Workspace },
    findTask: none,
    findTicketTask: none,
    readTicket: none,
    recall: async () => [],
    hasMemorySession: async () => false,
    snapshots: noSnapshots,
    withdrawApprovals: async () => undefined,
    holdsRights: async () => true,
    isDisabled: async () => false,
    takeTurnSlot: async () => async () => undefined,
    countCost: async () => undefined,
  })
  const { send } = createChat({ ...ports, ...times, models, turns, defaultMode: () => 'ask' })

  /** A conversation that has so many messages, as its turns would have left it: the older part is summarised. */
  const filled = async (count: number): Promise<string> => {
    const { id } = await conversations.create(ANN, { title: `Of ${count} messages` })
    const messageRow = (number: number) => ({
      id: ids.next('msg'),
      conversationId: id,
      number: numberText(number),
      content: TEXT,
      role: number % 2 === 0 ? ('user' as const) : ('assistant' as const),
      createdAt: iso(clock.now()),
    })
    for (let from = 0; from < count; from += AT_ONCE)
      await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, n) =>
          store.commit({ insert: chatMessages, row: messageRow(from + n) }),
        ),
      )
    await store.commit({ update: conversationRows, key: id, set: { messageCount: count } })
    return id
  }

  /** What is done with a conversation again and again. */
  const operations = (id: string): [string, () => Promise<unknown>][] => [
    ['list of conversations', () => conversations.list(ANN, PAGE)],
    ['last page', () => conversations.get(ANN, id, PAGE)],
    ['next turn', () => send.send(ANN, id, { content: TEXT })],
  ]
  return { filled, operations, models }
}
