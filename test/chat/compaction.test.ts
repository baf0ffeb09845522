import { describe, expect, it } from '@jest/globals'
import { estimateTokens, reservedOutputTokens } from '../../lib/core/context-window.ts'
import { Problem } from '../../lib/core/errors.ts'
import type { ModelMessage, Models, StepRequest } from '../../lib/ports/model.ts'
import type { Store } from '../../lib/ports/store.ts'
import { chatMessages, conversations, type MessageRow, numberText } from '../../lib/turns/rows.ts'
import { forEachTest } from '../fakes/lifetimes.ts'
import { createScriptedModels, type ScriptedStep } from '../fakes/scripted-models.ts'
import { fakeToolbox, pendingOn } from '../fakes/toolbox.ts'
import { ANN, createWorld, type Process } from './world.ts'

const world = forEachTest(
  async () => createWorld(),
  (one) => one[Symbol.asyncDispose](),
)

const WINDOW = 2_000
const isSummary = ({ messages }: StepRequest) => Boolean(messages[0]?.content.startsWith('You summarise'))

/** A model with a small window, that remembers a word by summarising it. */
const smallModel = (summary: ScriptedStep = { text: 'The word is PAPAYA.' }) => {
  const models = createScriptedModels([
    (request) => {
      if (isSummary(request)) return summary
      const told = request.messages.map(({ content }) => content).join('\n')
      if (!told.includes('Which word')) return { text: 'Noted.' }
      return { text: told.includes('PAPAYA') ? 'It is PAPAYA.' : 'I do not know.' }
    },
  ])
  return { ...models, contextTokens: () => WINDOW } satisfies Models & { requests: StepRequest[] }
}

/** The same, which refuses what does not fit its window, and everything while it is down. */
const strictly = (models: Models, isDown = () => false): Models => ({
  ...models,
  contextTokens: () => WINDOW,
  step: (request) => {
    const { messages, maxOutputTokens = reservedOutputTokens(WINDOW) } = request
    if (isDown() || estimateTokens(messages) + maxOutputTokens > WINDOW)
      throw new Problem('unavailable', 'provider_error', 'It is down, or the prompt is too long')
    return models.step(request)
  },
})

/** Results whose call is not right before them. */
const orphans = (messages: readonly ModelMessage[]) => (message: ModelMessage, at: number) => {
  const before = messages[at - 1]
  const called = before?.role === 'assistant' ? (before.toolCalls ?? []) : []
  return message.role === 'tool' && !called.some(({ id }) => id === message.callId) ? [message] : []
}

const words = (n: number) => Array.from({ length: n }, (_, at) => `word${at}`).join(' ')

describe('a conversation that outgrows the window of its model', () => {
  it('is summarised from 75 % on, and answers from the summary', async () => {
    const models = smallModel()
    const { begin, send, read } = world().process({ models })
    const id = await begin({ systemPrompt: 'Be exact.' })
    await send.send(ANN, id, { content: 'The word is PAPAYA.' })
    const answers = []
    for (let n = 0; n < 8; n++) answers.push(await send.send(ANN, id, { content: `${n}: ${words(300)}` }))
    const compacted = answers.flatMap(({ compaction }) => (compaction ? [compaction] : []))
    expect(compacted.length).toBeGreaterThan(0)
    expect(compacted[0]).toMatchObject({ summarized: true })
    for (const { originalCount, compactedCount, tokensReduced } of compacted) {
      expect(compactedCount).toBeLessThan(originalCount)
      expect(tokensReduced).toBeGreaterThan(0)
    }
    const last = await send.send(ANN, id, { content: 'Which word was it?' })
    expect(last.assistantMessage.content).toBe('It is PAPAYA.')
    const prompt = models.requests.at(-1)?.messages ?? []
    expect(prompt[0]?.content).toMatch(/^Be exact\.\n\nSummary of the earlier part[\s\S]*PAPAYA/)
    expect(prompt.slice(1).some(({ content }) => content.includes('PAPAYA'))).toBe(false)
    expect(prompt[1]?.role).toBe('user')
    // What was summarised can still be read.
    const all = await read(id)
    expect(all[0]?.content).toBe('The word is PAPAYA.')
    expect(all).toHaveLength(20)
    // The summary is made once, not with every turn.
    const summaries = models.requests.filter(isSummary)
    expect(summaries).toHaveLength(compacted.length)
    expect(summaries.length).toBeLessThan(5)
    if (summaries.length > 1)
      expect(summaries[1]?.messages[1]?.content).toContain('Summary so far:\nThe word')
  })

  it('loses its oldest turns, whole, where no summary can be made, and says so', async () => {
    const models = smallModel({ text: '' })
    const { begin, send } = world().process({ models })
    const id = await begin()
    const answers = []
    for (let n = 0; n < 6; n++) answers.push(await send.send(ANN, id, { content: `${n}: ${words(300)}` }))
    const compaction = answers.findLast((answer) => answer.compaction)?.compaction
    expect(compaction).toMatchObject({ summarized: false })
    const prompt = models.requests.at(-1)?.messages ?? []
    expect(prompt[0]?.role).toBe('user')
    expect(prompt.at(-1)?.content).toMatch(/^5: /)
    expect(prompt).toHaveLength(compaction?.compactedCount ?? 0)
    expect(JSON.stringify(world().log.entries).includes('is left out')).toBe(true)
  })

  it('keeps calls with their results on one side', async () => {
    const steps: ScriptedStep[] = []
    const models = createScriptedModels([
      (request) => {
        if (isSummary(request)) return { text: 'Earlier, files were read.' }
        const [last] = request.messages.slice(-1)
        const step =
          last?.role === 'user'
            ? { calls: [{ name: 'read', arguments: { at: steps.length } }] }
            : { text: 'Read.' }
        steps.push(step)
        return step
      },
    ])
    const { begin, send } = world().process({
      models: { ...models, contextTokens: () => WINDOW },
      openTools: () =>
        fakeToolbox(async () => ({ content: words(500), failed: false, decision: 'allowed', durationMs: 1 })),
    })
    const id = await begin()
    let compactions = 0
    for (let n = 0; n < 6; n++) {
      const { compaction } = await send.sendWithTools(ANN, id, { content: `Read ${n}` })
      if (compaction) compactions += 1
    }
    expect(compactions).toBeGreaterThan(0)
    const prompts = models.requests.filter((request) => !isSummary(request))
    expect(prompts.flatMap(({ messages }) => messages.flatMap(orphans(messages)))).toEqual([])
  })

  it('still answers after messages that were never answered and do not fit together', async () => {
    const models = smallModel()
    let isDown = true
    const { send, begin } = world().process({ models: strictly(models, () => isDown) })
    const id = await begin()
    for (const n of [1, 2, 3])
      await expect(send.send(ANN, id, { content: `${n}: ${words(900)}` })).rejects.toMatchObject({
        code: 'provider_error',
      })
    isDown = false
    const { compaction, assistantMessage } = await send.send(ANN, id, { content: 'Which word was it?' })
    expect(assistantMessage.content).toBe('It is PAPAYA.')
    expect(compaction).toMatchObject({ originalCount: 4, summarized: true })
    expect(models.requests.at(-1)?.messages.at(-1)?.content).toMatch(/^3: .*\n\nWhich word was it\?$/s)
  })

  it('has as much of the summary in a prompt as there is room beside a long message', async () => {
    const models = smallModel({ text: `The word is PAPAYA. ${words(240)}` })
    const { send, begin } = world().process({ models: strictly(models) })
    const id = await begin()
    for (let n = 0; n < 6; n++) await send.send(ANN, id, { content: `${n}: ${words(300)}` })
    const { assistantMessage } = await send.send(ANN, id, { content: `Which word? ${words(1_150)}` })
    expect(assistantMessage.content).toBe('It is PAPAYA.')
    expect(models.requests.at(-1)?.messages[0]?.content).toMatch(/more characters are left out\]$/)
    await send.send(ANN, id, { content: 'Which word?' })
    expect(models.requests.at(-1)?.messages[0]?.content).toMatch(/word239$/)
  })

  it.each([0, 2])(
    'is summarised in pieces that fit the window, of which %d fail at first',
    async (failures) => {
      const large = createScriptedModels([{ text: 'Noted.' }])
      const { begin, send } = world().process({ models: large })
      const id = await begin()
      for (const count of [1_300, 900, 700, 100, 100, 200, 100, 100])
        await send.send(ANN, id, { content: `${count}: ${words(count)}` })
      let pieces = 0
      const small = createScriptedModels([
        (request) => {
          if (!isSummary(request)) return { text: 'Noted.' }
          pieces += 1
          return { text: pieces > 1 && pieces <= 1 + failures ? '' : `Summary ${pieces}.` }
        },
      ])
      const strict = world().process({ models: strictly(small) })
      const answers = []
      for (let n = 0; n <= failures; n += 1)
        answers.push(await strict.send.send(ANN, id, { content: 'And?' }))
      const done = answers.map(({ compaction }) => compaction?.summarized)
      expect(done).toEqual([...Array.from({ length: failures }, () => false), true])
      const before = small.requests
        .filter(isSummary)
        .map(({ messages }) => /^Summary so far:\n(.*)\n/.exec(messages[1]?.content ?? '')?.[1])
      // What failed is gone on with, after what was done before.
      expect(before.slice(0, 3 + failures)).toEqual([
        undefined,
        ...Array.from({ length: failures }, () => 'Summary 1.'),
        'Summary 1.',
        `Summary ${2 + failures}.`,
      ])
    },
  )

  it.each([
    ['waits', { calls: [{ name: 'echo', arguments: {} }] }],
    ['is cut', { text: 'Half', reason: 'length' as const }],
  ])('counts the tokens of its summary to those of a turn that %s', async (_how, step) => {
    const { begin, send } = world().process({ models: createScriptedModels([{ text: 'Noted.' }]) })
    const id = await begin()
    for (const count of [600, 600, 600]) await send.send(ANN, id, { content: words(count) })
    const models = createScriptedModels([
      (request) => (isSummary(request) ? { text: 'Words were said.' } : step),
    ])
    const small = world().process({
      models: { ...models, contextTokens: () => WINDOW },
      openTools: () => fakeToolbox(async () => pendingOn('apv_1'), { isDecided: async () => false }),
    })
    const answer = await small.send.sendWithTools(ANN, id, { content: 'Go' })
    expect(answer.compaction).toMatchObject({ summarized: true })
    expect(answer.usage.totalTokens).toBe(15 * models.requests.length)
    expect((await small.read(id)).at(-1)?.usage).toEqual(answer.usage)
  })

  const said = { content: words(300) }
  it.each<[what: string, given: object, ask: (process: Process, id: string) => Promise<unknown>]>([
    ['what is said', {}, ({ send }, id) => send.send(ANN, id, { content: words(3_000) })],
    ['what is said, and its answer', {}, ({ send }, id) => send.send(ANN, id, { content: words(1_350) })],
    ['the system prompt', { systemPrompt: words(1_250) }, ({ send }, id) => send.send(ANN, id, said)],
    ['the tools', {}, ({ send }, id) => send.sendWithTools(ANN, id, said)],
  ])(
    'refuses a turn that is longer than the window with %s, and stores nothing of it',
    async (_what, given, ask) => {
      const tool = { name: 'echo', description: words(1_250), inputSchema: {} }
      const process = world().process({
        models: smallModel(),
        openTools: () => fakeToolbox(() => Promise.reject(), { specs: [tool] }),
      })
      const id = await process.begin(given)
      await expect(ask(process, id)).rejects.toMatchObject({ code: 'message_too_long' })
      expect(await process.read(id)).toEqual([])
      await process.send.send(ANN, await process.begin(), said)
    },
  )
})

/** Counts the rows that reads hand out. */
const counting = () => {
  let rows = 0
  const wrapStore = (store: Store): Store => ({
    ...store,
    page: async (...given) => {
      const page = await store.page(...given)
      rows += page.rows.length
      return page
    },
  })
  const take = () => {
    const read = rows
    rows = 0
    return read
  }
  return { wrapStore, take }
}

/** A conversation of so many messages, as it was before anything was summarised. */
const filled = async (count: number, summarized = 0) => {
  const { process, store } = world()
  const reads = counting()
  const models = createScriptedModels([{ text: 'Fine.' }])
  const one = process({ models, wrapStore: reads.wrapStore })
  const id = await one.begin()
  const createdAt = '2026-01-01T12:00:00.000Z'
  for (let number = 0; number < count; number++) {
    const role = number % 2 === 0 ? ('user' as const) : ('assistant' as const)
    const row: MessageRow = {
      id: `msg_${number}`,
      conversationId: id,
      number: numberText(number),
      role,
      content: `m${number}`,
      createdAt,
    }
    await store.commit<MessageRow>({ insert: chatMessages, row })
  }
  await store.commit({
    update: conversations,
    key: id,
    set: { messageCount: count, summarized, summary: 'Much was said.' },
  })
  return { ...one, reads, id, models }
}

const costs = async (count: number) => {
  const { conversations: rows, send, id, reads } = await filled(count, Math.max(0, count - 100))
  reads.take()
  await rows.list(ANN, { limit: 50 })
  const list = reads.take()
  await rows.get(ANN, id, { limit: 50 })
  const get = reads.take()
  await send.send(ANN, id, { content: 'And now?' })
  return { list, get, turn: reads.take() }
}

describe('a conversation of 10,000 messages', () => {
  it('costs what one of 100 costs: list, last page and next turn', async () => {
    const small = await costs(100)
    const large = await costs(10_000)
    expect(large).toEqual({ ...small, list: small.list + 1 })
    expect(small.turn).toBeLessThan(150)
  })

  it('is not read whole for a turn, though nothing of it was summarised', async () => {
    const { send, id, reads, models } = await filled(3_000)
    reads.take()
    const { compaction } = await send.send(ANN, id, { content: 'And now?' })
    expect(reads.take()).toBeLessThanOrEqual(450)
    expect(compaction?.summarized).toBe(true)
    expect(models.requests.at(-1)?.messages.length).toBeLessThanOrEqual(101)
    await send.send(ANN, id, { content: 'And then?' })
    expect(reads.take()).toBeLessThanOrEqual(150)
  })

  it('is removed a thousand messages at a time, also by the next process', async () => {
    const { conversationRemoval: removal, id } = await filled(2_500)
    await removal.remove(ANN, id)
    expect(await removal.removeDeleted()).toBe(1_000)
    const { conversationRemoval: next } = world().process({ models: createScriptedModels([]) })
    expect([await next.removeDeleted(), await next.removeDeleted(), await next.removeDeleted()]).toEqual([
      1_000, 250, 0,
    ])
  })
})

describe('a model whose window turns out to be smaller', () => {
  it.each(['send', 'sendWithTools'] as const)(
    'has the conversation compacted, and is asked once more: %s',
    async (verb) => {
      const small = smallModel()
      let window = 128_000
      const models: Models = {
        ...small,
        contextTokens: () => window,
        step: (request) => {
          const { messages, maxOutputTokens = reservedOutputTokens(WINDOW) } = request
          if (estimateTokens(messages) + maxOutputTokens <= WINDOW) return small.step(request)
          window = WINDOW
          const details = { reason: 'context_length' }
          throw new Problem('unavailable', 'provider_error', 'The prompt is too long', { details })
        },
      }
      const { begin, send } = world().process({ models })
      const id = await begin({ systemPrompt: 'Be exact.' })
      await send.send(ANN, id, { content: 'The word is PAPAYA.' })
      for (let n = 0; n < 5; n++) await send.send(ANN, id, { content: `${n}: ${words(300)}` })
      const last = await send[verb](ANN, id, { content: 'Which word was it?' })
      expect(last.assistantMessage.content).toBe('It is PAPAYA.')
      expect(window).toBe(WINDOW)
    },
  )
})
