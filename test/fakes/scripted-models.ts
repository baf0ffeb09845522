import type { Cost } from '../../lib/core/cost.ts'
import type { FinishReason, Models, StepPart, StepRequest, ToolCall } from '../../lib/ports/model.ts'

export type ScriptedStep = {
  text?: string
  reasoning?: string
  calls?: readonly { name: string; arguments: unknown }[]
  reason?: FinishReason
  cost?: Cost
}
type Script = readonly (ScriptedStep | ((request: StepRequest) => ScriptedStep))[]

const usage = { promptTokens: 10, completionTokens: 5, totalTokens: 15 }

const stepParts = (step: ScriptedStep, number: number): StepPart[] => {
  const toolCalls: ToolCall[] = (step.calls ?? []).map((call, i) => ({ id: `call_${number}_${i}`, ...call }))
  const content = step.text ?? ''
  return [
    ...(step.reasoning ? [{ type: 'reasoning' as const, text: step.reasoning }] : []),
    ...(content ? [{ type: 'text' as const, text: content }] : []),
    ...toolCalls.map((call) => ({ type: 'tool-call' as const, call })),
    {
      type: 'finish',
      reason: step.reason ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop'),
      usage: { ...usage, ...(step.cost && { cost: step.cost }) },
      message: { role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls }) },
      provider: 'demo',
      model: 'scripted',
    },
  ]
}

/** Models that answer from a script, one entry per step; the last entry repeats. `requests` are what they were asked. */
export const createScriptedModels = (script: Script): Models & { readonly requests: StepRequest[] } => {
  const requests: StepRequest[] = []
  return {
    requests,
    providers: () => [{ type: 'demo', name: 'Demo', configured: true, takesKey: false }],
    resolve: () => ({ provider: 'demo', model: 'scripted' }),
    models: async () => [{ id: 'scripted', provider: 'demo', name: 'scripted' }],
    contextTokens: () => 128_000,
    health: async () => ({ healthy: true }),
    checkKey: async () => ({ accepted: true, message: 'Demo accepts the key' }),
    async *step(request) {
      request.signal.throwIfAborted()
      requests.push({ ...request, messages: [...request.messages] })
      const entry = script[Math.min(requests.length, script.length) - 1] ?? {}
      yield* stepParts(typeof entry === 'function' ? entry(request) : entry, requests.length)
    },
  }
}

/** Models that say this, if anything, and then nothing until they are stopped. */
export const createHangingModels = (said = ''): Models => ({
  ...createScriptedModels([]),
  async *step({ signal }) {
    if (said) yield { type: 'text', text: said }
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  },
})
