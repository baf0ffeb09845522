import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { agentSessions, toStreamName } from '../../lib/agentic/rows.ts'
import { AgenticRequestSchema, type SessionEvent } from '../../lib/agentic/schema.ts'
import { createAgentSessions } from '../../lib/agentic/sessions.ts'
import { createAgenticTurns } from '../../lib/agentic/turn.ts'
import { allowedTools, approvals as approvalRows, approvalSlots } from '../../lib/approvals/rows.ts'
import { createMasker } from '../../lib/core/masker.ts'
import { feedEntries } from '../../lib/feed/rows.ts'
import type { Models } from '../../lib/ports/model.ts'
import type { Store } from '../../lib/ports/store.ts'
import { toolCalls } from '../../lib/security/rows.ts'
import {
  chatMessages,
  chatTurns,
  conversationRemovals,
  conversations,
  workspaceSnapshots,
} from '../../lib/turns/rows.ts'
import { createFakeClock, type FakeClock } from '../fakes/clock.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { createFakeLog } from '../fakes/log.ts'
import { createHangingModels, createScriptedModels } from '../fakes/scripted-models.ts'
import { storeOpeners } from '../fakes/stores.ts'
import { fakeToolbox } from '../fakes/toolbox.ts'
import { until } from '../fakes/until.ts'
import { ANN, createWorldOn, PAGE } from './world.ts'

const rowsOfChat = [conversations, chatMessages, chatTurns, conversationRemovals, agentSessions, feedEntries]
const rows = [...rowsOfChat, workspaceSnapshots, approvalRows, approvalSlots, allowedTools, toolCalls]
const never = new AbortController().signal
const LEASE_MS = 15_000

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    ({ code }) => code,
  )

describe.each(storeOpeners(rows))('a conversation in %s that is deleted', (_name, open) => {
  let clock: FakeClock
  let opened: Awaited<ReturnType<typeof open>>
  let store: Store
  let world: ReturnType<typeof createWorldOn>
  beforeAll(async () => {
    clock = createFakeClock()
    opened = await open({ ...clock, after: createClock().after })
    store = opened.store
    world = createWorldOn(store, clock)
  })
  afterAll(() => opened?.close())
  afterEach(() => void world.removedWorkspaces.splice(0))

  /** A process with agentic turns, as the service joins them. */
  const process = (models: Models) => {
    const one = world.process({ models })
    const ports = { store, clock, feed: one.feed, ids: createFakeIds(clock), log: createFakeLog() }
    const limits = { timeoutMs: 180_000, orphanMs: 60_000 }
    const masker = createMasker([])
    const sessions = createAgentSessions({
      ...ports,
      ...limits,
      masker,
      findTask: async () => undefined,
      checkOwnConversation: async () => undefined,
      cancelTask: async () => undefined,
    })
    const agentic = createAgenticTurns({
      ...ports,
      sessions,
      models,
      turns: one.turns,
      openToolbox: async () =>
        fakeToolbox(async () => ({ content: 'x', failed: false, decision: 'allowed', durationMs: 1 })),
    })
    const events: SessionEvent[] = []
    /** Resolves with the first event; the others follow. */
    const begin = async (id: string) => {
      const batches = await agentic.start(ANN, id, AgenticRequestSchema.parse({ content: 'Go' }), never)
      const ended = (async () => {
        for await (const batch of batches) events.push(...batch)
      })()
      await until(() => events.some(({ type }) => type === 'content'))
      return ended
    }
    return { ...one, sessions, start: begin, events }
  }

  /** How many rows there are of each collection that had some of it. */
  const left = async (id: string, sessionId: string) => {
    const of = { order: 'asc', limit: 10 } as const
    const scope = `conversation:${id}:${ANN.userId}`
    const pages = await Promise.all([
      store.page(chatMessages, { index: 'ofConversation', is: id, ...of }),
      store.page(agentSessions, { index: 'ofConversation', is: id, ...of }),
      store.page(feedEntries, { index: 'ofStream', is: toStreamName(sessionId), ...of }),
      store.page(approvalRows, { index: 'ofScope', is: scope, ...of }),
      store.page(allowedTools, { index: 'ofScope', is: scope, ...of }),
      store.page(conversationRemovals, { index: 'ofSpace', is: 'all', ...of }),
    ])
    return pages.map(({ rows: found }) => found.length)
  }

  it('is gone at once with its sessions, their events, approvals, allowlist and workspace', async () => {
    const {
      begin,
      start,
      sessions,
      approvals,
      conversationRemoval,
      conversations: all,
    } = process(createScriptedModels([{ calls: [{ name: 'echo', arguments: {} }] }, { text: 'Done.' }]))
    const id = await begin()
    await start(id)
    const call = (tool: string) => ({
      tool,
      risk: 'write' as const,
      mode: 'ask' as const,
      title: tool,
      arguments: {},
      userId: ANN.userId,
      conversationId: id,
    })
    for (const tool of ['git', 'git', 'write_file']) await approvals.ask(call(tool))
    const [first] = await approvals.list(ANN)
    await approvals.decide(ANN, first?.id ?? '', 'allow-always')
    const [session] = (await sessions.list(ANN, { ...PAGE, conversationId: id })).sessions
    const sessionId = session?.id ?? ''
    await until(async () => (await sessions.get(ANN, sessionId)).status === 'completed')
    expect(await left(id, sessionId)).toEqual([2, 1, expect.any(Number), 2, 1, 0])

    await conversationRemoval.remove(ANN, id)
    expect(await left(id, sessionId)).toEqual([0, 0, 0, 0, 0, 0])
    expect(world.removedWorkspaces).toEqual([id])
    expect(await refusal(all.get(ANN, id, PAGE))).toBe('conversation_not_found')
    expect(await refusal(sessions.get(ANN, sessionId))).toBe('session_not_found')
    expect(await approvals.list(ANN)).toEqual([])
    const onRecord = await store.page(toolCalls, { index: 'ofSession', is: id, order: 'desc', limit: 9 })
    expect(onRecord.rows).toMatchObject([
      { decision: 'denied', resultSummary: 'Not made: its conversation was deleted' },
    ])
    // Neither the allowlist nor an approval of it is left.
    expect(await approvals.ask(call('git'))).toMatchObject({ state: 'pending' })
    await approvals.forget({ userId: ANN.userId, conversationId: id }, 10)
  })

  it.each(['here', 'elsewhere'])(
    'stops its turn, which goes on %s: it ends with CANCELLED',
    async (where) => {
      const here = process(createHangingModels('Well, '))
      const id = await here.begin()
      const ended = here.start(id)
      await until(() => here.events.some(({ type }) => type === 'content'))
      const remover = where === 'here' ? here : process(createHangingModels('Well, '))
      await remover.conversationRemoval.remove(ANN, id)
      if (where === 'elsewhere') {
        // With the next renewal of its lease.
        clock.advance(LEASE_MS / 3)
      }
      await until(() => here.events.at(-1)?.type === 'error')
      expect(here.events.at(-1)?.data).toMatchObject({ code: 'CANCELLED' })
      await ended
      const start = here.events.find(({ type }) => type === 'session:start')
      const sessionId = String((start?.data as { sessionId?: string } | undefined)?.sessionId)
      await until(async () => (await store.get(agentSessions, sessionId))?.status !== 'running')
      // What the turn may still have done is waited for.
      await remover.conversationRemoval.removeDeleted()
      expect(world.removedWorkspaces).toEqual([])
      clock.advance(LEASE_MS)
      await remover.conversationRemoval.removeDeleted()
      expect(await left(id, sessionId)).toEqual([0, 0, 0, 0, 0, 0])
      expect(world.removedWorkspaces).toEqual([id])
    },
  )
})
