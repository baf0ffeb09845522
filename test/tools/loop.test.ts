import { describe, expect, it } from '@jest/globals'
import { estimateTokens, promptTokenLimit } from '../../lib/core/context-window.ts'
import { Problem } from '../../lib/core/errors.ts'
import type { Models, StepPart, StepRequest } from '../../lib/ports/model.ts'
import type { LoopEvent, LoopRequest, LoopResult, ToolOutcome } from '../../lib/ports/tool.ts'
import { createLoop } from '../../lib/tools/loop.ts'
import { createScriptedModels, type ScriptedStep } from '../fakes/scripted-models.ts'
import { fakeToolbox, pendingOn } from '../fakes/toolbox.ts'
import { never } from '../fakes/workbench.ts'

const toolbox = fakeToolbox(async ({ arguments: given }) => ({
  content: JSON.stringify(given),
  failed: given === 'bad',
  decision: 'allowed',
  durationMs: 1,
}))

/**
 * A toolbox whose calls with `ask…` wait for approval until that is decided, and which refuses those with `no…`; `made` are
 * the calls that ran, `checked` those that were checked.
 */
const askingToolbox = () => {
  const decided = new Set<unknown>()
  const made: unknown[] = []
  const checked: unknown[] = []
  const needs = (given: unknown) => String(given).startsWith('ask') && !decided.has(given)
  const refused: ToolOutcome = { content: 'No', failed: true, decision: 'blocked', durationMs: 0 }
  const check = (given: unknown): ToolOutcome | undefined => {
    checked.push(given)
    if (String(given).startsWith('no')) return refused
    return needs(given) ? pendingOn(`of ${given}`) : undefined
  }
  const asking = fakeToolbox(
    async ({ arguments: given }, _signal, { isChecked } = {}) => {
      const refusal = isChecked ? undefined : check(given)
      if (refusal) return refusal
      made.push(given)
      return { content: `did ${given}`, failed: false, decision: 'allowed', durationMs: 1 }
    },
    {
      ask: async ({ arguments: given }) => check(given),
      isDecided: async (approvalId) => decided.has(approvalId.slice('of '.length)),
    },
  )
  return { asking, made, checked, decide: (given: unknown) => decided.add(given) }
}

const pendingCalls = ({ pending }: LoopResult) =>
  pending.map(({ call, approvalId }) => ({ callId: call.id, approvalId }))

const request = (more: Partial<LoopRequest> = {}): LoopRequest => ({
  messages: [{ role: 'user', content: 'Go' }],
  toolbox,
  maxSteps: 5,
  signal: never,
  ...more,
})

const calling = (...given: unknown[]) => ({ calls: given.map((each) => ({ name: 'echo', arguments: each })) })

const streamParts = async function* (parts: readonly StepPart[]) {
  yield* parts
}

describe('a prompt that is longer than the window of the model', () => {
  const tooLong = () =>
    new Problem('unavailable', 'provider_error', 'Too long', { details: { reason: 'context_length' } })
  /** A model whose window turns out to be small at its first refusal. */
  const surprising = (window: number) => {
    let known = 128_000
    const models = createScriptedModels([calling('a'), { text: 'Done' }])
    const step = async function* (asked: StepRequest) {
      if (estimateTokens(asked.messages) > promptTokenLimit(window)) {
        known = window
        throw tooLong()
      }
      yield* models.step(asked)
    }
    return { ...models, contextTokens: () => known, step } satisfies Models & { requests: StepRequest[] }
  }

  it('is sent once more with results of tools that are cut to the learned window', async () => {
    const models = surprising(8_000)
    const telling = fakeToolbox(async () => ({
      content: 'word '.repeat(10_000),
      failed: false,
      decision: 'allowed',
      durationMs: 1,
    }))
    const result = await createLoop({ models })(request({ toolbox: telling }))
    expect(result).toMatchObject({ ended: 'answered', text: 'Done' })
    expect(models.requests.at(-1)?.messages.at(-1)?.content).toContain('characters are left out')
  })

  it('is sent once more with the history compacted', async () => {
    const models = surprising(2_000)
    const history = [{ role: 'user' as const, content: 'word '.repeat(4_000) }]
    const short = [{ role: 'user' as const, content: 'Short' }]
    const compacted = async () => short
    const result = await createLoop({ models })(request({ messages: history, compacted, maxSteps: 1 }))
    expect(models.requests.map(({ messages }) => messages)).toEqual([short])
    expect(result.messages[0]).toEqual(short[0])
  })

  it('fails at once when nothing of it can be cut', async () => {
    const models = surprising(2_000)
    let steps = 0
    const step = (asked: StepRequest) => {
      steps += 1
      return models.step(asked)
    }
    const messages = [{ role: 'user' as const, content: 'word '.repeat(4_000) }]
    const run = createLoop({ models: { ...models, step } })(request({ messages }))
    await expect(run).rejects.toMatchObject({ message: 'Too long' })
    expect(steps).toBe(1)
  })

  it('fails when it is refused again', async () => {
    const models = surprising(2_000)
    const messages = [{ role: 'user' as const, content: 'word '.repeat(4_000) }]
    const run = createLoop({ models })(request({ messages, compacted: async () => messages }))
    await expect(run).rejects.toMatchObject({ message: 'Too long' })
  })
})

describe('an answer that its output limit ends inside a call', () => {
  const cut = { ...calling('half'), reason: 'length' as const }

  it('is not the end: the model is told, and the call is not made', async () => {
    const models = createScriptedModels([cut, { text: 'Done' }])
    expect(await createLoop({ models })(request())).toMatchObject({ ended: 'answered', toolCalls: 0 })
    expect(models.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      callId: 'call_1_0',
      name: 'echo',
      failed: true,
      content: expect.stringContaining('output limit'),
    })
  })

  it('is the end after three times', async () => {
    const models = createScriptedModels([cut])
    expect(await createLoop({ models })(request({ maxSteps: 10 }))).toMatchObject({ ended: 'cut', steps: 4 })
  })
})

describe('the loop', () => {
  it('runs tools until the model calls none', async () => {
    const models = createScriptedModels([calling('a', 'bad'), calling('b'), { text: 'Done' }])
    const result = await createLoop({ models })(request())
    expect(result).toMatchObject({
      ended: 'answered',
      text: 'Done',
      steps: 3,
      toolCalls: 3,
      provider: 'demo',
      model: 'scripted',
      usage: { promptTokens: 30, completionTokens: 15, totalTokens: 45 },
    })
    expect(models.requests[1]?.messages.slice(2)).toEqual([
      { role: 'tool', callId: 'call_1_0', name: 'echo', content: '"a"', failed: false },
      { role: 'tool', callId: 'call_1_1', name: 'echo', content: '"bad"', failed: true },
    ])
    expect(models.requests[0]?.tools).toEqual(toolbox.specs)
    expect(result.messages).toHaveLength(7)
  })

  it('tells its events in order', async () => {
    const models = createScriptedModels([{ reasoning: 'Hm', ...calling('a') }, { text: 'Done' }])
    const events: LoopEvent[] = []
    await createLoop({ models })(request({ onEvent: (event) => void events.push(event) }))
    expect(events.map(({ type, step }) => `${step} ${type}`)).toEqual([
      '1 step:start',
      '1 reasoning',
      '1 tool:call',
      '1 tool:result',
      '1 step:complete',
      '2 step:start',
      '2 text',
      '2 step:complete',
    ])
    expect(events[5]).toEqual({ type: 'step:start', step: 2, maxSteps: 5, usedTokens: 15 })
  })

  it('ends at the most steps allowed', async () => {
    const models = createScriptedModels([calling('again')])
    expect(await createLoop({ models })(request({ maxSteps: 2 }))).toMatchObject({
      ended: 'max_steps',
      steps: 2,
      toolCalls: 2,
    })
  })

  it.each<[what: string, last: ScriptedStep, ended: string, text: string]>([
    ['answers', { text: 'Done' }, 'answered', 'Done'],
    ['calls a tool all the same', calling('late'), 'max_steps', ''],
    ['answers and calls', { ...calling('late'), text: 'Done' }, 'answered', 'Done'],
  ])(
    'has the model call no tool in a last step for its answer, in which it %s',
    async (_what, last, ended, text) => {
      const models = createScriptedModels([calling('a'), calling('b'), last])
      const result = await createLoop({ models })(request({ maxSteps: 3, answersLast: true }))
      expect(models.requests.map(({ toolChoice, tools }) => [toolChoice, tools])).toEqual([
        [undefined, toolbox.specs],
        [undefined, toolbox.specs],
        ['none', toolbox.specs],
      ])
      expect(result).toMatchObject({ ended, text, steps: 3, toolCalls: 2 })
      // A call without a result would make the history unusable.
      expect(result.messages.at(-1)).toEqual({ role: 'assistant', content: text })
    },
  )

  it('names no tools and no choice of them where there are none, and makes no call', async () => {
    const models = createScriptedModels([{ ...calling('late'), text: 'Done' }])
    const none = fakeToolbox(() => Promise.reject(new Error('There are no tools')), { specs: [] })
    const result = await createLoop({ models })(request({ toolbox: none, maxSteps: 1, answersLast: true }))
    expect(models.requests.map((asked) => ['tools' in asked, 'toolChoice' in asked])).toEqual([
      [false, false],
    ])
    expect(result).toMatchObject({ ended: 'answered', text: 'Done', toolCalls: 0 })
  })

  it.each(['length', 'content-filter'] as const)('runs no tool of an answer cut by %s', async (reason) => {
    const models = createScriptedModels([{ ...calling('a'), reason }])
    expect(await createLoop({ models })(request())).toMatchObject({
      ended: 'cut',
      finishReason: reason,
      toolCalls: 0,
    })
  })

  it('goes on after an answer that ended for an unknown reason', async () => {
    const models = createScriptedModels([
      { ...calling('a'), reason: 'other' },
      { text: 'Done', reason: 'other' },
    ])
    expect(await createLoop({ models })(request())).toMatchObject({ ended: 'answered', toolCalls: 1 })
  })

  it('calls an answer of nothing empty', async () => {
    expect(await createLoop({ models: createScriptedModels([{}]) })(request())).toMatchObject({
      ended: 'empty',
    })
    const afterWork = createScriptedModels([calling('a'), {}])
    expect(await createLoop({ models: afterWork })(request())).toMatchObject({ ended: 'empty', toolCalls: 1 })
  })

  it('tells what the model said last, also before calls, from what it answers', async () => {
    const said = { ...calling('a'), text: 'Now this.' }
    const run = (script: ScriptedStep[], more: Partial<LoopRequest> = {}) =>
      createLoop({ models: createScriptedModels(script) })(request(more))
    expect(await run([said, calling('b'), {}])).toMatchObject({
      ended: 'empty',
      text: '',
      lastText: 'Now this.',
    })
    expect(await run([said, { reason: 'length' }])).toMatchObject({
      ended: 'cut',
      text: '',
      lastText: 'Now this.',
    })
    expect(await run([said], { maxSteps: 1 })).toMatchObject({ text: 'Now this.', lastText: 'Now this.' })
    const before = [{ role: 'assistant', content: 'Of old.' }, ...request().messages] as const
    expect((await run([calling('a'), {}], { messages: [...before] })).lastText).toBe('')
  })

  it('throws when the stream ends without a finish', async () => {
    const models: Models = { ...createScriptedModels([]), step: () => streamParts([]) }
    await expect(createLoop({ models })(request())).rejects.toMatchObject({ code: 'provider_error' })
  })

  it.each(['step:start', 'text', 'tool:call', 'tool:result', 'step:complete'])(
    'throws the reason of an abort at %s and asks nothing more',
    async (at) => {
      const controller = new AbortController()
      const reason = new Error('cancelled')
      const models = createScriptedModels([{ text: 'Hm', ...calling('a') }])
      const onEvent = ({ type }: LoopEvent) => type === at && controller.abort(reason)
      await expect(createLoop({ models })(request({ signal: controller.signal, onEvent }))).rejects.toBe(
        reason,
      )
      expect(models.requests.length).toBeLessThanOrEqual(1)
    },
  )

  it('stops at a call that waits for approval, and goes on with it once that is decided', async () => {
    const { asking, made, checked, decide } = askingToolbox()
    const given = ['a', 'ask 1', 'b', 'no', 'ask 2']
    const models = createScriptedModels([calling(...given), { text: 'Done' }])
    const events: string[] = []
    const onEvent = (event: LoopEvent) =>
      'call' in event && events.push(`${event.type.slice('tool:'.length)} ${event.call.arguments}`)
    const run = createLoop({ models })
    const first = await run(request({ toolbox: asking, onEvent }))
    const ids = ({ pending }: typeof first) => pending.map(({ approvalId }) => approvalId)
    expect([first.ended, made, ids(first)]).toEqual(['waiting', ['a'], ['of ask 1', 'of ask 2']])
    decide('ask 1')
    const goOn = (left: LoopResult) =>
      run(
        request({
          toolbox: asking,
          onEvent,
          messages: left.messages,
          maxSteps: 1,
          stopped: { ...left, waiting: pendingCalls(left) },
        }),
      )
    const second = await goOn(first)
    expect([second.ended, made, ids(second)]).toEqual(['waiting', ['a', 'ask 1', 'b'], ['of ask 2']])
    decide('ask 2')
    const last = await goOn(second)
    expect([last.ended, last.text, made]).toEqual(['answered', 'Done', ['a', 'ask 1', 'b', 'ask 2']])
    // Steps, calls and usage add up, and a run that goes on has one more step, whatever it had before.
    expect(last).toMatchObject({ steps: 2, toolCalls: 5, usage: { totalTokens: 30 } })
    expect(models.requests).toHaveLength(2)
    const results = models.requests[1]?.messages.flatMap((one) => (one.role === 'tool' ? one.content : []))
    // What is refused is so at once, since that waits for nobody.
    expect(results).toEqual(['did a', 'No', 'did ask 1', 'did b', 'did ask 2'])
    expect(checked).toEqual(given)
    expect(events).toEqual(
      ['a', 'no', 'ask 1', 'b', 'ask 2'].flatMap((each) => [`call ${each}`, `result ${each}`]),
    )
  })

  it('keeps within the window of the model: results that it has answered to are cut first, the newest least', async () => {
    const window = 8_000
    const texts = [8_000, 16_000, 12_000, 60_000]
    const models = {
      ...createScriptedModels([...texts.map((length) => calling(length)), { text: 'Done' }]),
      contextTokens: () => window,
    }
    const reading = fakeToolbox(async ({ arguments: length }) => ({
      content: 'word '.repeat(Number(length) / 5),
      failed: false,
      decision: 'allowed',
      durationMs: 1,
    }))
    await createLoop({ models })(request({ toolbox: reading }))
    const lengths = models.requests.map(({ messages }) =>
      messages.flatMap(({ role, content }) => (role === 'tool' ? [content.length] : [])),
    )
    for (const { messages } of models.requests)
      expect(estimateTokens(messages)).toBeLessThanOrEqual(promptTokenLimit(window))
    expect(lengths.slice(0, 3)).toEqual([[], [8_000], [8_000, 16_000]])
    const [first, second, third, newest = 0] = lengths[4] ?? []
    for (const one of [first, second, third]) expect(one).toBeLessThan(2_100)
    expect(newest).toBeGreaterThan(10_000)
    const last = models.requests[4]?.messages.at(-1)?.content
    expect(last).toMatch(/^(word )+(w|wo|wor|word)?\n\[\d+ more characters are left out\]$/)
  })

  it('says that it fell back, also where only an earlier step did', async () => {
    const scripted = createScriptedModels([calling('a'), { text: 'Done' }])
    const models: Models = {
      ...scripted,
      async *step(given) {
        const fell = scripted.requests.length === 0 ? { fallbackFrom: 'first/model' } : {}
        for await (const part of scripted.step(given))
          yield part.type === 'finish' ? { ...part, ...fell } : part
      },
    }
    expect((await createLoop({ models })(request())).fallbackFrom).toBe('first/model')
  })

  it('begins no step once its tokens are spent', async () => {
    const models = createScriptedModels([calling('a')])
    const result = await createLoop({ models })(request({ maxTokens: 30 }))
    expect(result).toMatchObject({ ended: 'budget', steps: 2, usage: { totalTokens: 30 } })
    const unasked = await createLoop({ models })(request({ maxTokens: 0 }))
    expect([unasked.ended, unasked.steps, models.requests.length]).toEqual(['budget', 0, 2])
  })
})
