import { describe, expect, it } from '@jest/globals'
import type { Models, StepPart } from '../../lib/ports/model.ts'
import type { LoopEvent, LoopRequest, Toolbox } from '../../lib/ports/tool.ts'
import { createLoop } from '../../lib/tools/loop.ts'
import { createScriptedModels } from '../fakes/scripted-models.ts'
import { never } from '../fakes/workbench.ts'

const toolbox: Toolbox = {
  specs: [{ name: 'echo', description: 'Echoes', inputSchema: { type: 'object' } }],
  title: ({ name }) => `${name} …`,
  call: async ({ arguments: given }) => ({
    ...{ content: JSON.stringify(given), failed: given === 'bad', decision: 'allowed', durationMs: 1 },
  }),
  ask: async () => undefined,
}

/** A toolbox whose calls with `ask…` wait for approval until that is decided; `made` are the calls that ran. */
const askingToolbox = () => {
  const decided = new Set<unknown>()
  const made: unknown[] = []
  const needs = (given: unknown) => String(given).startsWith('ask') && !decided.has(given)
  const asking: Toolbox = {
    ...toolbox,
    call: async ({ arguments: given }) => {
      if (needs(given))
        return { content: '', failed: false, decision: 'pending', durationMs: 0, approvalId: `of ${given}` }
      made.push(given)
      return { content: `did ${given}`, failed: false, decision: 'allowed', durationMs: 1 }
    },
    ask: async ({ arguments: given }) => (needs(given) ? `of ${given}` : undefined),
  }
  return { asking, made, decide: (given: unknown) => decided.add(given) }
}

const request = (more: Partial<LoopRequest> = {}): LoopRequest => ({
  messages: [{ role: 'user', content: 'Go' }],
  ...{ toolbox, maxSteps: 5, signal: never },
  ...more,
})

const calling = (...given: unknown[]) => ({ calls: given.map((each) => ({ name: 'echo', arguments: each })) })

const streamOf = async function* (parts: readonly StepPart[]) {
  yield* parts
}

describe('the loop', () => {
  it('runs tools until the model calls none', async () => {
    const models = createScriptedModels([calling('a', 'bad'), calling('b'), { text: 'Done' }])
    const result = await createLoop({ models })(request())
    expect(result).toMatchObject({
      ...{ ended: 'answered', text: 'Done', steps: 3, toolCalls: 3, provider: 'demo', model: 'scripted' },
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

  it.each(['length', 'content-filter', 'other'] as const)(
    'runs no tool of an answer cut by %s',
    async (reason) => {
      const models = createScriptedModels([{ ...calling('a'), reason }])
      expect(await createLoop({ models })(request())).toMatchObject({
        ended: 'cut',
        finishReason: reason,
        toolCalls: 0,
      })
    },
  )

  it('calls an answer of nothing empty', async () => {
    expect(await createLoop({ models: createScriptedModels([{}]) })(request())).toMatchObject({
      ended: 'empty',
    })
    const afterWork = createScriptedModels([calling('a'), {}])
    expect(await createLoop({ models: afterWork })(request())).toMatchObject({ ended: 'answered' })
  })

  it('throws when the stream ends without a finish', async () => {
    const models: Models = { ...createScriptedModels([]), step: () => streamOf([]) }
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
    const { asking, made, decide } = askingToolbox()
    const models = createScriptedModels([calling('a', 'ask 1', 'b', 'ask 2'), { text: 'Done' }])
    const run = createLoop({ models })
    const first = await run(request({ toolbox: asking }))
    const ids = ({ pending }: typeof first) => pending.map(({ approvalId }) => approvalId)
    expect([first.ended, made, ids(first)]).toEqual(['waiting', ['a'], ['of ask 1', 'of ask 2']])
    decide('ask 1')
    const second = await run(request({ toolbox: asking, messages: first.messages }))
    expect([second.ended, made, ids(second)]).toEqual(['waiting', ['a', 'ask 1', 'b'], ['of ask 2']])
    decide('ask 2')
    const last = await run(request({ toolbox: asking, messages: second.messages }))
    expect([last.ended, last.text, made]).toEqual(['answered', 'Done', ['a', 'ask 1', 'b', 'ask 2']])
    expect(models.requests).toHaveLength(2)
    const results = models.requests[1]?.messages.flatMap((one) => (one.role === 'tool' ? one.content : []))
    expect(results).toEqual(['did a', 'did ask 1', 'did b', 'did ask 2'])
  })

  it('begins no step once its tokens are spent', async () => {
    const models = createScriptedModels([calling('a')])
    const result = await createLoop({ models })(request({ maxTokens: 30 }))
    expect(result).toMatchObject({ ended: 'budget', steps: 2, usage: { totalTokens: 30 } })
  })
})
