import { cutText } from '../core/cut-text.ts'
import { Problem } from '../core/errors.ts'
import type { Models, StepPart, StepRequest } from '../ports/model.ts'
import type { Toolbox, ToolSession } from '../ports/tool.ts'
import type { Span, Tracing } from '../ports/tracing.ts'

// Names of spans and attributes: https://opentelemetry.io/docs/specs/semconv/gen-ai/. No span contains prompts, answers,
// arguments or results.

/** The conventions' names of providers, where they differ from those of the service. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  xai: 'x_ai',
}

const LONGEST_NAME = 200

const errorType = (thrown: unknown): string => (thrown instanceof Problem ? thrown.code : 'stopped')

/** Models whose steps are spans, each with its fallbacks. */
export const withModelSpans = (models: Models, { begin, within, current, isExporting }: Tracing): Models => {
  if (!isExporting) return models

  const beginStep = (request: StepRequest): Span => {
    const { provider, model } = models.resolve(request)
    return begin({
      name: `chat ${model}`,
      kind: 'client',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': PROVIDERS[provider] ?? provider,
        'gen_ai.request.model': model,
        'gen_ai.request.temperature': request.temperature,
        'gen_ai.request.max_tokens': request.maxOutputTokens,
      },
    })
  }

  async function* step(request: StepRequest): AsyncGenerator<StepPart> {
    const span = beginStep(request)
    const { traceparent } = span
    const trace = { ...current(), ...(traceparent && { traceparent }) }
    const parts = models.step(request)[Symbol.asyncIterator]()
    // A reader that stops early never gets the last part.
    let last: Parameters<Span['end']>[0] = { error: 'stopped' }
    try {
      for (;;) {
        // A generator runs in the context of the caller of `next`.
        const next = await within(trace, () => parts.next())
        if (next.done) return
        if (next.value.type === 'finish') last = { attributes: finishedBy(next.value) }
        yield next.value
      }
    } catch (thrown) {
      last = { error: errorType(thrown) }
      throw thrown
    } finally {
      await parts.return?.()
      span.end(last)
    }
  }
  return { ...models, step }
}

const finishedBy = ({ reason, usage, model }: Extract<StepPart, { type: 'finish' }>) => ({
  'gen_ai.response.model': model,
  'gen_ai.response.finish_reasons': [reason],
  'gen_ai.usage.input_tokens': usage.promptTokens,
  'gen_ai.usage.output_tokens': usage.completionTokens,
})

type OpenTools = (session: ToolSession) => Toolbox

/** Toolboxes whose calls are spans. */
export const withToolSpans = (
  open: OpenTools,
  { begin, within, current, isExporting }: Tracing,
): OpenTools => {
  if (!isExporting) return open
  return (session) => {
    const toolbox = open(session)
    const call: Toolbox['call'] = async (given, signal, options) => {
      const name = cutText(given.name, LONGEST_NAME)
      const span = begin({
        name: `execute_tool ${name}`,
        kind: 'internal',
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': name,
          'gen_ai.tool.call.id': given.id,
          'gen_ai.tool.type': 'function',
        },
      })
      const { traceparent } = span
      const trace = { ...current(), ...(traceparent && { traceparent }) }
      try {
        const outcome = await within(trace, () => toolbox.call(given, signal, options))
        const { decision, failed } = outcome
        const isFault = failed && decision !== 'pending'
        span.end({ attributes: { 'tool.decision': decision }, error: isFault ? 'tool_failed' : undefined })
        return outcome
      } catch (thrown) {
        span.end({ error: errorType(thrown) })
        throw thrown
      }
    }
    return { ...toolbox, call }
  }
}
