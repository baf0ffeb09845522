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
})
