import { describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import type { Models } from '../../lib/ports/model.ts'
import type { Task } from '../../lib/tasks/schema.ts'
import { forEachTest } from '../fakes/lifetimes.ts'
import { createHangingModels, createScriptedModels } from '../fakes/scripted-models.ts'
import { turns as eventLoop } from '../fakes/service.ts'
import { ANN, BOB, createWorld, FIRST_BYTE_MS, PAGE, type Process, TIMEOUT_MS } from './world.ts'

const world = forEachTest(
  async () => createWorld(),
  (one) => one[Symbol.asyncDispose](),
)

const failing = (thrown: Error, said = ''): Models => ({
  ...createScriptedModels([]),
  async *step() {
    if (said !== '') yield { type: 'text', text: said }
    throw thrown
  },
})
const down = new Problem('unavailable', 'provider_error', 'The provider is down')
const refusal = async (call: Promise<unknown>) =>
  call.then(
    (answer) => `answered ${JSON.stringify(answer)}`,
    (thrown) => (thrown as Problem).code,
  )

describe('a conversation', () => {
  it('is answered with its system prompt and its history, and has the first line of it as title', async () => {
    const models = createScriptedModels([{ text: 'Four.' }, { text: 'Eight.' }])
    const { begin, send, read, conversations } = world().process({ models })
    const id = await begin({ systemPrompt: 'Be short.' })
    const first = await send.send(ANN, id, { content: 'Two and two?\nI forgot.' })
    expect(first).toMatchObject({
      userMessage: { role: 'user', content: 'Two and two?\nI forgot.', conversationId: id },
      assistantMessage: { role: 'assistant', content: 'Four.', provider: 'demo', model: 'scripted' },
      usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
    })
    await send.send(ANN, id, { content: 'Twice that?' })
    expect(models.requests[1]?.messages).toEqual([
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Two and two?\nI forgot.' },
      { role: 'assistant', content: 'Four.' },
      { role: 'user', content: 'Twice that?' },
    ])
    const { conversation, messages, nextCursor, total } = await conversations.get(ANN, id, { limit: 3 })
    expect(conversation).toMatchObject({ title: 'Two and two?', messageCount: 4 })
    expect(messages.map(({ content }) => content)).toEqual(['Four.', 'Twice that?', 'Eight.'])
    expect(total).toBe(4)
    const older = await conversations.get(ANN, id, {
      limit: 3,
      ...(nextCursor ? { cursor: nextCursor } : {}),
    })
    expect(older.messages.map(({ content }) => content)).toEqual(['Two and two?\nI forgot.'])
    expect(await read(id)).toHaveLength(4)
  })

  it('is there for its user alone', async () => {
    const { begin, send, completions, turns, conversations, conversationRemoval } = world().process({
      models: createScriptedModels([{ text: 'Yes.' }]),
    })
    const id = await begin()
    await begin({ title: 'Of Bob' }, BOB)
    const messages = [{ role: 'user' as const, content: 'Hi' }]
    const attempts = [
      conversations.get(BOB, id, PAGE),
      conversations.rename(BOB, id, 'Mine'),
      conversationRemoval.remove(BOB, id),
      send.send(BOB, id, { content: 'Hi' }),
      send.sendWithTools(BOB, id, { content: 'Hi' }),
      turns.begin(BOB, id, { content: 'Hi' }),
      completions.complete(BOB, { messages, stream: false, conversationId: id }),
    ]
    expect(await Promise.all(attempts.map(refusal))).toEqual(attempts.map(() => 'conversation_not_found'))
    expect(await conversations.list(BOB, PAGE)).toMatchObject({
      conversations: [{ title: 'Of Bob' }],
      total: 1,
    })
  })

  it('is listed by task and by ticket, with totals of each list', async () => {
    const { begin, conversations, conversationRemoval } = world().process({
      models: createScriptedModels([]),
      tasks: [{ id: 't1' } as Task],
    })
    for (const given of [{ taskId: 't1' }, { taskId: 't1', ticketId: 'codehost:a#1' }, {}, {}])
      await begin(given)
    const gone = await begin({ taskId: 't1' })
    await conversationRemoval.remove(ANN, gone)
    const totals = [
      {},
      { taskId: 't1' },
      { ticketId: 'codehost:a#1' },
      { taskId: 't1', ticketId: 'codehost:a#1' },
    ]
    for (const [at, filter] of totals.entries()) {
      const page = await conversations.list(ANN, { ...filter, limit: 1 })
      expect([page.total, page.count]).toEqual([[4, 2, 1, 1][at], 1])
    }
  })

  it('tells the model of its task and of memory, as material', async () => {
    const models = createScriptedModels([{ text: 'Done.' }])
    const task = { id: 't1', title: 'Deploy', status: 'failed', prompt: 'Ship it' } as Task
    const chunk = { id: 'c', path: 'deploy.md', startLine: 1, endLine: 2, text: 'Run make rollback.' }
    const { begin, send } = world().process({ models, tasks: [task], memory: [chunk] })
    await send.send(ANN, await begin({ taskId: 't1' }), { content: 'What failed?' })
    const [system] = models.requests[0]?.messages ?? []
    expect(system?.content).toMatch(/Task t1: Deploy[\s\S]*Ship it[\s\S]*deploy\.md:1-2\]\nRun make rollback/)
  })
})

describe('a conversation about a task', () => {
  const about = { taskId: 't1', ticketId: 'codehost:a#1' }
  const ofTicket = {
    id: 't2',
    title: 'Repair',
    status: 'queued',
    source: 'codehost',
    sourceId: 'a#1',
  } as Task
  const tasks = [{ id: 't1', title: 'Deploy', status: 'failed' } as Task, ofTicket]

  it('begins only where the task is there', async () => {
    const { begin, conversations } = world().process({ models: createScriptedModels([]), tasks })
    expect(await refusal(begin({ taskId: 't3' }))).toBe('task_not_found')
    expect((await conversations.list(ANN, PAGE)).total).toBe(0)
    await begin(about)
  })

  it('goes on without it once it is gone, and keeps its ticket', async () => {
    const models = createScriptedModels([{ text: 'Done.' }])
    const id = await world().process({ models, tasks }).begin(about)
    await world()
      .process({ models, tasks: [ofTicket] })
      .send.send(ANN, id, { content: 'And now?' })
    expect(models.requests[0]?.messages[0]?.content).toMatch(/Task t2: Repair/)
  })

  it('is not answered as if it had none while storage fails', async () => {
    const models = createScriptedModels([{ text: 'Done.' }])
    const process = world().process({ models, tasks, findTask: () => Promise.reject(down) })
    const id = await world().process({ models, tasks }).begin(about)
    expect(await refusal(process.send.send(ANN, id, { content: 'And now?' }))).toBe(down.code)
    expect(models.requests).toEqual([])
  })
})

describe('a turn', () => {
  it('that fails keeps what was said, which the next one asks as one message', async () => {
    const broken = world().process({ models: failing(down) })
    const id = await broken.begin()
    for (const content of ['First', 'First', 'Second'])
      expect(await refusal(broken.send.send(ANN, id, { content }))).toBe('provider_error')
    const models = createScriptedModels([{ text: 'At last.' }])
    await world().process({ models }).send.send(ANN, id, { content: 'Third' })
    expect(models.requests[0]?.messages).toEqual([{ role: 'user', content: 'First\n\nSecond\n\nThird' }])
    const all = await broken.read(id)
    expect(all.map(({ content }) => content)).toEqual(['First', 'First', 'Second', 'Third', 'At last.'])
  })

  it('that breaks off keeps what the model said until then, with the reason', async () => {
    const { begin, send, read } = world().process({ models: failing(down, 'Well, ') })
    const id = await begin()
    expect(await refusal(send.send(ANN, id, { content: 'Tell' }))).toBe('provider_error')
    expect((await read(id))[1]).toMatchObject({
      content: 'Well, ',
      error: { code: 'provider_error', message: 'The provider is down' },
    })
    const models = createScriptedModels([{ text: 'More.' }])
    await world().process({ models }).send.send(ANN, id, { content: 'Go on' })
    expect(models.requests[0]?.messages[1]?.content).toContain('[The answer ended early')
  })

  it('that streams and fails by a fault of the service has it in the log, not in its last event', async () => {
    const { log, process } = world()
    const { completions } = process({ models: failing(new Error('secret details'), 'Well, ') })
    const messages = [{ role: 'user' as const, content: 'Tell' }]
    let last = ''
    for await (const text of await completions.stream(ANN, { messages, stream: true })) last = text
    expect(last).toMatch(/^event: error\ndata: .*"code":"internal_error"/)
    expect(last).not.toContain('secret details')
    expect(log.entries.filter(({ level }) => level === 'error')).toMatchObject([
      { fields: { err: { message: 'secret details' } } },
    ])
  })

  it('of a completion asks with its settings, stores nothing but text, and makes no call', async () => {
    const calls = [{ name: 'write_file', arguments: {} }]
    const models = createScriptedModels([{ text: 'Here.', calls }])
    const { begin, completions, read } = world().process({ models })
    const conversationId = await begin()
    const messages = [{ role: 'user' as const, content: 'Hi' }]
    const settings = { temperature: 0.3, maxTokens: 9 }
    for (const more of [{}, { conversationId }])
      await completions.complete(ANN, { messages, stream: false, ...settings, ...more })
    for (const asked of models.requests) expect(asked).toMatchObject({ temperature: 0.3, maxOutputTokens: 9 })
    expect((await read(conversationId))[1]).toMatchObject({ content: 'Here.' })
    expect((await read(conversationId))[1]).not.toHaveProperty('toolCalls')
  })

  it('that is not answered at all fails', async () => {
    const { begin, send, read } = world().process({ models: createScriptedModels([{ text: '  ' }]) })
    const id = await begin()
    expect(await refusal(send.send(ANN, id, { content: 'Hi' }))).toBe('provider_error')
    expect(await read(id)).toHaveLength(1)
  })

  it('keeps others out for as long as it goes on', async () => {
    const { clock, process } = world()
    const dying = process({
      models: createScriptedModels([{ text: 'Never said' }]),
      wrapStore: (store) => store,
    })
    const id = await dying.begin()
    await dying.turns.begin(ANN, id, { content: 'One' })
    const other = process({ models: createScriptedModels([{ text: 'Yes.' }]) })
    const ask = () => other.send.send(ANN, id, { content: 'Two' })
    expect(await refusal(ask())).toBe('turn_under_way')
    // As long as it lives it renews its lease.
    for (let n = 0; n < 10; n++) {
      clock.advance(5_000)
      await eventLoop()
    }
    expect(await refusal(ask())).toBe('turn_under_way')
    expect((await other.read(id)).map(({ content }) => content)).toEqual(['One'])
  })

  it('of a process that died is over after 15 seconds', async () => {
    const { clock, process } = world()
    let isDead = false
    const dying = process({
      models: createScriptedModels([{ text: 'Never said' }]),
      wrapStore: (store) =>
        ({
          ...store,
          commit: async (...given: Parameters<typeof store.commit>) => {
            if (isDead) throw new Error('the power is gone')
            return store.commit(...given)
          },
        }) as typeof store,
    })
    const id = await dying.begin()
    const turn = await dying.turns.begin(ANN, id, { content: 'One' })
    isDead = true
    const other = process({ models: createScriptedModels([{ text: 'Yes.' }]) })
    clock.advance(14_000)
    await eventLoop()
    expect(await refusal(other.send.send(ANN, id, { content: 'Two' }))).toBe('turn_under_way')
    clock.advance(1_000)
    await other.send.send(ANN, id, { content: 'Two' })
    isDead = false
    const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 }
    const late = dying.turns.finish(turn, { content: 'Late', usage, provider: 'demo', model: 'm' })
    expect(await refusal(late)).toBe('turn_lost')
    expect((await other.read(id)).map(({ content }) => content)).toEqual(['One', 'Two', 'Yes.'])
  })

  it('of two at once is one', async () => {
    const { begin, send, read } = world().process({ models: createScriptedModels([{ text: 'Yes.' }]) })
    const id = await begin()
    const codes = await Promise.all([1, 2, 3].map((n) => refusal(send.send(ANN, id, { content: `${n}` }))))
    expect(codes.filter((code) => code === 'turn_under_way')).toHaveLength(2)
    expect(await read(id)).toHaveLength(2)
  })

  const hello = [{ role: 'user' as const, content: 'Hello?' }]
  type Ask = (slow: Process, id: string) => Promise<unknown>
  it.each<[what: string, mostMs: number, models: Models, ask: Ask]>([
    [
      'that is plain',
      FIRST_BYTE_MS,
      createHangingModels(),
      ({ send }, id) => send.send(ANN, id, { content: 'Hello?' }),
    ],
    [
      'with tools',
      FIRST_BYTE_MS,
      createHangingModels(),
      ({ send }, id) => send.sendWithTools(ANN, id, { content: 'Hello?' }),
    ],
    [
      'of a completion',
      FIRST_BYTE_MS,
      createHangingModels(),
      ({ completions }, conversationId) =>
        completions.complete(ANN, { messages: hello, conversationId, stream: false }),
    ],
    [
      'of a stream that says nothing',
      FIRST_BYTE_MS,
      createHangingModels(),
      ({ completions }, conversationId) =>
        completions.stream(ANN, { messages: hello, conversationId, stream: true }),
    ],
    [
      'of a stream that has begun',
      TIMEOUT_MS,
      createHangingModels('Well'),
      async ({ completions }, conversationId) => {
        const stream = await completions.stream(ANN, { messages: hello, conversationId, stream: true })
        let last = ''
        for await (const text of stream) last = text
        throw JSON.parse(last.slice(last.indexOf('{')))
      },
    ],
  ])('%s ends after %d ms, and lets the next one begin', async (_what, mostMs, models, ask) => {
    const { clock, process } = world()
    const slow = process({ models })
    const id = await slow.begin()
    let isOver = false
    const asked = refusal(ask(slow, id)).finally(() => {
      isOver = true
    })
    await eventLoop()
    clock.advance(mostMs - 1)
    await eventLoop()
    expect(isOver).toBe(false)
    clock.advance(1)
    expect(await asked).toBe('timeout')
    const next = process({ models: createScriptedModels([{ text: 'Here.' }]) })
    expect(await next.send.send(ANN, id, { content: 'Hello?' })).toMatchObject({
      assistantMessage: { content: 'Here.' },
    })
  })
})
