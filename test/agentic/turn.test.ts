import { describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createIds } from '../../lib/adapters/node/ids.ts'
import { openSqliteStore, type SqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { type AgenticRequest, AgenticRequestSchema, type SessionEvent } from '../../lib/agentic/schema.ts'
import { createAgentSessions } from '../../lib/agentic/sessions.ts'
import { createAgenticTurns } from '../../lib/agentic/turn.ts'
import { collections } from '../../lib/collections.ts'
import { missing, Problem } from '../../lib/core/errors.ts'
import { createMasker } from '../../lib/core/masker.ts'
import type { Principal } from '../../lib/core/principal.ts'
import { createFeed } from '../../lib/feed/feed.ts'
import type { Models } from '../../lib/ports/model.ts'
import type { Toolbox } from '../../lib/ports/tool.ts'
import type { Workspace } from '../../lib/ports/workspace.ts'
import { createLoop } from '../../lib/tools/loop.ts'
import { createToolRunner } from '../../lib/tools/runner.ts'
import { defineTool } from '../../lib/tools/tool.ts'
import type { FinishTurn } from '../../lib/turns/finish.ts'
import type { Parking } from '../../lib/turns/park.ts'
import { createRunTurn } from '../../lib/turns/run.ts'
import type { ChatMessage } from '../../lib/turns/schema.ts'
import type { Turns } from '../../lib/turns/service.ts'
import type { BegunTurn } from '../../lib/turns/turn.ts'
import { forEachTest } from '../fakes/lifetimes.ts'
import { createFakeLog } from '../fakes/log.ts'
import { createScriptedModels, type ScriptedStep } from '../fakes/scripted-models.ts'
import { fakeToolbox } from '../fakes/toolbox.ts'

const clock = createClock()
const ids = createIds({ clock })
const ada = { userId: 'user_ada', role: 'user' } as unknown as Principal
const never = new AbortController().signal

/** A tool that answers what it is given, and fails for `bad`. */
const toolbox = fakeToolbox(async ({ arguments: given }) => ({
  content: String(given),
  failed: given === 'bad',
  decision: 'allowed',
  durationMs: 1.4,
}))

/** A tool that ignores its signal, as tools are opened. */
const deafToolbox = createToolRunner({
  clock,
  tools: [
    defineTool({
      name: 'echo',
      description: 'Never ends',
      input: z.object({}),
      risk: 'read',
      subject: () => '',
      run: () => new Promise(() => undefined),
    }),
  ],
})({ mode: 'full', workspace: {} as Workspace, userId: 'user_ada' })

type Stored = Pick<Turns, 'begin'> & Pick<FinishTurn, 'finish' | 'fail'>

describe('an agentic turn', () => {
  const store = forEachTest<SqliteStore>(
    async () => openSqliteStore({ file: ':memory:', collections, clock }),
    (opened) => opened.close(),
  )

  const open = (models: Models, tools: Toolbox = toolbox, more: { timeoutMs?: number } = {}) => {
    const did: string[] = []
    const finished: unknown[] = []
    let isRefusing = false
    const refuseAnswers = () => {
      isRefusing = true
    }
    const stored: Stored = {
      begin: async (_principal, conversationId, { content }) => {
        if (conversationId !== 'conv_1') throw missing('Conversation')
        return {
          conversation: { id: conversationId },
          target: models.resolve({}),
          userMessage: { id: 'msg_1', content },
          messages: [{ role: 'user', content }],
          messageCount: 1,
          spent: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
          signal: never,
          release: async () => void did.push('released'),
        } as unknown as BegunTurn
      },
      finish: async (_turn, answer) => {
        if (isRefusing) throw missing('Conversation')
        finished.push(answer)
        return { id: 'msg_2' } as ChatMessage
      },
      fail: async (turn, _thrown, { usage }) => {
        if (isRefusing) throw missing('Conversation')
        // As storage takes its time.
        await new Promise((resolve) => setImmediate(resolve))
        did.push(`kept with ${usage.totalTokens} tokens`)
        await (turn as BegunTurn).release()
      },
    }
    const sessions = createAgentSessions({
      store: store(),
      feed: createFeed({ store: store(), clock, ids }),
      clock,
      ids,
      log: createFakeLog(),
      masker: createMasker([]),
      timeoutMs: 60_000,
      orphanMs: 60_000,
      findTask: async () => undefined,
      checkOwnConversation: async () => undefined,
      cancelTask: async () => undefined,
      ...more,
    })
    const log = createFakeLog()
    // No call of these tools waits for approval.
    const waits = {} as Pick<FinishTurn, 'readAnswer'> & Pick<Parking, 'storeWaiting' | 'park'>
    const { run: runTurn } = createRunTurn({
      loop: createLoop({ models }),
      countCost: async () => undefined,
      log,
      ...stored,
      ...waits,
    })
    const agentic = createAgenticTurns({
      sessions,
      turns: { begin: stored.begin, run: runTurn },
      models,
      clock,
      ids,
      log,
      openToolbox: async () => tools,
    })
    const run = async (more: Partial<AgenticRequest> = {}, onEvent?: (event: SessionEvent) => void) => {
      const request = AgenticRequestSchema.parse({ content: 'Go', ...more })
      const events: SessionEvent[] = []
      for await (const batch of await agentic.start(ada, 'conv_1', request, never))
        for (const event of batch) {
          events.push(event)
          onEvent?.(event)
        }
      return events
    }
    return { agentic, sessions, run, did, finished, refuseAnswers, log }
  }

  const calling = (...given: string[]): ScriptedStep => ({
    reasoning: 'Hm',
    calls: given.map((each) => ({ name: 'echo', arguments: each })),
  })
  const eventTypes = (events: readonly SessionEvent[]) => events.map(({ type }) => type)

  it('streams its events in the order of the interface, and saves the answer', async () => {
    const { run, finished } = open(createScriptedModels([calling('a', 'bad'), { text: 'Done' }]))
    const events = await run()
    const thinking = ['thinking:start', 'thinking:update', 'thinking:end']
    expect(eventTypes(events)).toEqual([
      ...['user_message', 'session:start', 'step:start', ...thinking],
      ...['tool:call', 'tool:result', 'tool:call', 'tool:result', 'error', 'step:complete'],
      ...['step:start', 'content', 'step:complete', 'summary', 'complete', 'message_saved'],
    ])
    const eventData = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data)
    expect(eventData('user_message')).toEqual([
      { id: 'msg_1', content: 'Go', compactionApplied: false, messageCount: 1 },
    ])
    expect(eventData('session:start')).toEqual([
      {
        sessionId: expect.stringMatching(/^sess_/),
        conversationId: 'conv_1',
        provider: 'demo',
        model: 'scripted',
        effort: 'medium',
        maxSteps: 25,
        maxBudget: null,
        securityMode: 'full',
      },
    ])
    expect(eventData('tool:result')).toMatchObject([
      { result: { success: true, content: 'a' } },
      { result: { success: false, content: 'bad', error: 'TOOL_ERROR' } },
    ])
    expect(eventData('error')).toEqual([
      {
        message: 'bad',
        code: 'TOOL_ERROR',
        toolCallId: (eventData('tool:call')[1] as { toolCallId: string }).toolCallId,
      },
    ])
    const [step] = eventData('step:complete') as { spanId: string }[]
    expect(eventData('tool:call')).toMatchObject([{ parentId: step?.spanId }, { parentId: step?.spanId }])
    expect(eventData('complete')).toEqual([
      {
        totalTokens: 32,
        inputTokens: 21,
        outputTokens: 11,
        model: 'scripted',
        provider: 'demo',
        toolCalls: 2,
        finishReason: 'stop',
      },
    ])
    expect(finished).toMatchObject([
      { content: 'Done', toolCalls: [{ status: 'success', duration: 1 }, { status: 'error' }] },
    ])
  })

  it('keeps its thinking to itself where that is asked for', async () => {
    const { run } = open(createScriptedModels([calling('a'), { text: 'Done' }]))
    expect(eventTypes(await run({ showThinking: false })).join()).not.toContain('thinking')
  })

  it.each<[what: string, script: readonly ScriptedStep[], request: Partial<AgenticRequest>, reason: string]>([
    ['at its last step', [calling('a')], { maxSteps: 2 }, 'max_steps'],
    ['when its budget is spent', [{ ...calling('a') }], { maxBudget: 1_000, maxSteps: 200 }, 'budget'],
    ['at the output limit of the model', [{ text: 'Half', reason: 'length' }], {}, 'length'],
  ])('is complete %s, and says so', async (_what, script, request, reason) => {
    const events = await open(createScriptedModels(script)).run(request)
    expect(events.find(({ type }) => type === 'complete')?.data).toMatchObject({ finishReason: reason })
    expect(eventTypes(events).at(-1)).toBe('message_saved')
    expect(events.find(({ type }) => type === 'summary')?.data).toEqual({
      summary: expect.stringMatching(/\S/),
    })
  })

  const failing = (after: number, thrown: unknown): Models => {
    const models = createScriptedModels([calling('a')])
    let steps = 0
    return {
      ...models,
      async *step(request) {
        steps += 1
        if (steps > after) throw thrown
        yield* models.step(request)
      },
    }
  }

  it.each<[what: string, models: Models, code: string, tokens: number]>([
    [
      'a provider fails',
      failing(1, new Problem('unavailable', 'provider_error', 'It is down')),
      'PROVIDER_ERROR',
      17,
    ],
    [
      'a provider refuses',
      failing(0, new Problem('rate_limited', 'rate_limited', 'Too many')),
      'RATE_LIMITED',
      2,
    ],
    ['something else goes wrong', failing(0, new Error('secret details')), 'INTERNAL', 2],
    ['the answer is empty', createScriptedModels([{ text: '' }]), 'PROVIDER_ERROR', 17],
    [
      'the model only thinks',
      createScriptedModels([{ reasoning: 'Hm', reason: 'length' }]),
      'PROVIDER_ERROR',
      17,
    ],
    [
      'the model says nothing after its calls',
      createScriptedModels([{ ...calling('a'), text: 'I look first.' }, {}]),
      'PROVIDER_ERROR',
      32,
    ],
  ])('ends in an error, and in nothing after it, when %s', async (_what, models, code, tokens) => {
    const { run, did, finished, sessions, log } = open(models)
    let didBefore: string[] = []
    const events = await run({}, ({ type }) => {
      if (type === 'error') didBefore = [...did]
    })
    expect(eventTypes(events)).not.toContain('complete')
    expect(events.at(-1)).toMatchObject({ type: 'error', data: { code } })
    expect(JSON.stringify(events)).not.toContain('secret details')
    expect([did, finished]).toEqual([[`kept with ${tokens} tokens`, 'released'], []])
    // Who is told of the error may send the next message at once.
    expect(didBefore).toEqual(did)
    const faults = log.entries.filter(({ level }) => level === 'error').map(({ fields }) => `${fields.err}`)
    expect(faults).toEqual(code === 'INTERNAL' ? ['Error: secret details'] : [])
    expect((await sessions.list(ada, { limit: 1 })).sessions).toMatchObject([
      { status: 'failed', error: { code } },
    ])
  })

  it('ends although its answer cannot be saved, without being complete', async () => {
    const { run, sessions, refuseAnswers } = open(createScriptedModels([{ text: 'Done' }]))
    refuseAnswers()
    const events = await run()
    expect(eventTypes(events)).not.toContain('complete')
    expect(events.at(-1)).toMatchObject({ type: 'error', data: { code: 'CONVERSATION_NOT_FOUND' } })
    expect((await sessions.list(ada, { limit: 1 })).sessions).toMatchObject([{ status: 'failed' }])
  })

  it.each([
    ['a cancel', 'CANCELLED', 'cancelled', 60_000],
    ['its time limit', 'TIMEOUT', 'failed', 50],
  ])(
    'is stopped by %s in a tool that ignores it, whose result is told before the end',
    async (_what, code, status, timeoutMs) => {
      const models = createScriptedModels([{ calls: [{ name: 'echo', arguments: {} }] }])
      const { run, sessions, did } = open(models, deafToolbox, { timeoutMs })
      const events = await run({}, (event) => {
        if (event.type !== 'tool:call' || code !== 'CANCELLED') return
        const cancel = (id = '') => sessions.cancel(ada, id)
        void sessions.list(ada, { limit: 1 }).then(({ sessions: [one] }) => cancel(one?.id))
      })
      const [call, result, error] = events.slice(-3)
      expect([call?.type, result, error]).toMatchObject([
        'tool:call',
        { type: 'tool:result', data: { result: { success: false, error: 'TOOL_ERROR' } } },
        { type: 'error', data: { code } },
      ])
      expect(did).toEqual(['kept with 17 tokens', 'released'])
      expect((await sessions.list(ada, { limit: 1 })).sessions).toMatchObject([{ status }])
    },
  )

  it('has ended when all sessions are told to stop, though its tool ignores that', async () => {
    const models = createScriptedModels([{ calls: [{ name: 'echo', arguments: {} }] }])
    const { run, sessions } = open(models, deafToolbox)
    let stopped: Promise<string | undefined> | undefined
    await run({}, ({ type }) => {
      if (type !== 'tool:call') return
      stopped = sessions
        .stopAll('SHUTDOWN')
        .then(async () => (await sessions.list(ada, { limit: 1 })).sessions[0]?.status)
    })
    expect(await stopped).toBe('failed')
  })

  it('is refused before its first byte where there is no such conversation', async () => {
    const { agentic, sessions } = open(createScriptedModels([{ text: 'Hi' }]))
    const request = AgenticRequestSchema.parse({ content: 'Go' })
    await expect(agentic.start(ada, 'conv_2', request, never)).rejects.toMatchObject({ kind: 'missing' })
    expect((await sessions.list(ada, { limit: 1 })).sessions).toEqual([])
  })
})
