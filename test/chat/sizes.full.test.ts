import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { agentSessions } from '../../lib/agentic/rows.ts'
import { allowedTools, approvals as approvalRows, approvalSlots } from '../../lib/approvals/rows.ts'
import { feedEntries } from '../../lib/feed/rows.ts'
import type { Models } from '../../lib/ports/model.ts'
import type { Toolbox } from '../../lib/ports/tool.ts'
import { chatMessages, chatTurns, conversationRemovals, conversations } from '../../lib/turns/rows.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createScriptedModels, type ScriptedStep } from '../fakes/scripted-models.ts'
import { storeOpeners } from '../fakes/stores.ts'
import { fakeToolbox } from '../fakes/toolbox.ts'
import { ANN, createWorldOn } from './world.ts'

const rowsOfChat = [conversations, chatMessages, chatTurns, conversationRemovals, agentSessions, feedEntries]
const rows = [...rowsOfChat, approvalRows, approvalSlots, allowedTools]
/** 200 kB, and three times that in UTF-8. */
const LONG = '語'.repeat(200_000)
/** What a function may answer. */
const MOST_BYTES = 6 * 1024 * 1024
const jsonBytes = (answer: object) => Buffer.byteLength(JSON.stringify(answer))

const step = (calls: number): ScriptedStep => ({
  calls: Array.from({ length: calls }, (_, n) => ({ name: 'read', arguments: { n, LONG } })),
})

describe.each(storeOpeners(rows))('tool calls with 200 kB each in %s', (_name, open) => {
  let opened: Awaited<ReturnType<typeof open>>
  let world: ReturnType<typeof createWorldOn>
  beforeAll(async () => {
    const clock = createFakeClock()
    opened = await open({ ...clock, after: createClock().after })
    world = createWorldOn(opened.store, clock)
  })
  afterAll(() => opened?.close())

  /** Tools whose last call of a step waits until it is decided. */
  const openTools = (isDecided: () => boolean) => (): Toolbox =>
    fakeToolbox(
      async ({ arguments: given }) => {
        const waits = (given as { n: number }).n === 39 && !isDecided()
        const decision = waits ? 'pending' : 'allowed'
        return {
          content: LONG,
          failed: false,
          decision,
          durationMs: 1,
          ...(waits ? { approvalId: 'a' } : {}),
        }
      },
      { isDecided: async () => isDecided() },
    )

  it('are kept with their beginnings, and a conversation of many is read in several pages', async () => {
    const models = createScriptedModels([step(20), step(19), { text: 'Done.' }])
    const one = world.process({ models, openTools: openTools(() => true) })
    const id = await one.begin()
    const answers = []
    for (let turn = 0; turn < 4; turn += 1) {
      models.requests.length = 0
      answers.push(await one.send.sendWithTools(ANN, id, { content: 'Read all', securityMode: 'full' }))
    }
    expect(Math.max(...answers.map(jsonBytes))).toBeLessThan(MOST_BYTES)
    const calls = answers[0]?.assistantMessage.toolCalls ?? []
    expect(calls).toHaveLength(39)
    expect(calls.at(-1)?.result).toMatch(/^語{20000}\n\[180000 more characters are left out\]$/)
    expect(calls[0]?.result).toMatch(/^語{500}\n/)
    const read: string[] = []
    let pages = 0
    for (let cursor: string | undefined, more = true; more; pages += 1) {
      const page = await one.conversations.get(ANN, id, { limit: 200, ...(cursor ? { cursor } : {}) })
      expect(jsonBytes(page)).toBeLessThan(MOST_BYTES)
      read.unshift(...page.messages.map((message) => message.id))
      cursor = page.nextCursor
      more = cursor !== undefined
    }
    expect([new Set(read).size, pages > 1]).toEqual([8, true])
  })

  it('are stored with a turn that waits, and the call that waits is made as it was asked for', async () => {
    const text = LONG.repeat(3)
    const scripted = createScriptedModels([{ ...step(40), text }, { text }])
    const models: Models = {
      ...scripted,
      async *step(request) {
        for await (const part of scripted.step(request))
          yield part.type === 'finish'
            ? { ...part, message: { ...part.message, opaque: { messages: [part.message] } } }
            : part
      },
    }
    const kept = expect.stringMatching(/^語{400000}\n\[200000 more characters are left out\]$/)
    let decided = false
    const made: unknown[] = []
    const tools = openTools(() => decided)
    const one = world.process({
      models,
      openTools: () => {
        const toolbox = tools()
        const call: Toolbox['call'] = (asked, signal) => {
          made.push(asked.arguments)
          return toolbox.call(asked, signal)
        }
        return { ...toolbox, call }
      },
    })
    const id = await one.begin()
    const asked = await one.send.sendWithTools(ANN, id, { content: 'Read all', securityMode: 'ask' })
    expect(asked.pendingApprovals).toHaveLength(1)
    expect(jsonBytes(asked)).toBeLessThan(MOST_BYTES)
    expect(asked.assistantMessage.content).toEqual(kept)
    const waiting = await opened.store.get(chatTurns, id, true)
    const results = waiting?.messages.filter(({ role }) => role === 'tool') ?? []
    expect(results.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThan(1_100_000)
    // The provider's own form of the calls is not kept beside them.
    expect(jsonBytes(waiting ?? {})).toBeLessThan(2 * MOST_BYTES)
    decided = true
    made.length = 0
    await one.turns.resume({ conversationId: id })
    expect(made).toEqual([{ n: 39, LONG }])
    expect((await one.read(id)).at(-1)).toMatchObject({ content: kept })
  })

  it('wait in a list that fits an answer, the oldest first', async () => {
    const { approvals } = world.process({ models: createScriptedModels([]) })
    const given = {
      tool: 'write_file',
      risk: 'write' as const,
      mode: 'ask' as const,
      title: 'write_file',
      userId: ANN.userId,
    }
    for (let n = 0; n < 40; n += 1)
      await approvals.ask({ ...given, conversationId: 'conv_many', arguments: { n, LONG } })
    const listed = await approvals.list(ANN)
    expect(jsonBytes(listed)).toBeLessThan(MOST_BYTES)
    expect(listed.map(({ params }) => params.n)).toEqual(listed.map((_, n) => n))
    expect(listed.length).toBeGreaterThan(1)
    // The others come when these are decided; to allow all calls reaches them too.
    await approvals.decide(ANN, listed[0]?.id ?? '', 'allow-always')
    expect(await approvals.list(ANN)).toEqual([])
  })
})
