import { setImmediate } from 'node:timers/promises'
import { textPieces } from '../../core/cut-text.ts'
import type { Masker } from '../../core/masker.ts'
import type { StepPart, ToolCall } from '../../ports/model.ts'

/** The most characters of one part: readers, rows and the page take texts of this size. */
const LONGEST_PART = 16_384

type Text = Extract<StepPart, { type: 'text' | 'reasoning' }>
type Finish = Extract<StepPart, { type: 'finish' }>

/**
 * The parts of a step without the secrets of the service: a model may have read them, and a provider has been sent its
 * own. This is the only place where the output of models is masked. Texts of one type are masked as one text, so that a
 * secret may be split over deltas, also with deltas of the other type in between.
 */
export async function* maskedStep(masker: Masker, parts: AsyncIterable<StepPart>): AsyncGenerator<StepPart> {
  const streams = { text: masker.stream(), reasoning: masker.stream() }
  const calls = new Map<ToolCall, ToolCall>()
  const ids = new Set<string>()

  function* flushed(): Generator<StepPart> {
    for (const type of ['reasoning', 'text'] as const) {
      const text = streams[type].flush()
      if (text !== '') yield { type, text }
    }
  }

  async function* maskedText({ type, text }: Text): AsyncGenerator<StepPart> {
    for (const piece of textPieces(text, LONGEST_PART)) {
      const masked = streams[type].push(piece)
      if (masked !== '') yield { type, text: masked }
      // A large delta does not hold up other work of the process.
      if (piece.length === LONGEST_PART) await setImmediate()
    }
  }

  /** Ids stay different: a result belongs to its call by its id. */
  const maskedCall = (call: ToolCall): ToolCall => {
    const masked = masker.text(call.id)
    const id = ids.has(masked) ? `${masked}_${ids.size + 1}` : masked
    ids.add(id)
    return { id, name: masker.text(call.name), arguments: masker.data(call.arguments) }
  }

  const maskedFinish = (finish: Finish): Finish => {
    const { content, toolCalls, opaque } = finish.message
    const masked = toolCalls?.map((call) => calls.get(call) ?? maskedCall(call))
    const isSame = toolCalls?.every(({ id }, n) => masked?.[n]?.id === id) ?? true
    const json = opaque === undefined ? '' : JSON.stringify(opaque)
    // The provider's own form is signed: one with a secret is left out, and rebuilt from text and calls.
    const isClean = opaque !== undefined && isSame && masker.text(json) === json
    return {
      ...finish,
      message: {
        role: 'assistant',
        content: masker.text(content),
        ...(masked ? { toolCalls: masked } : {}),
        ...(isClean ? { opaque } : {}),
      },
    }
  }

  try {
    for await (const part of parts) {
      if (part.type === 'text' || part.type === 'reasoning') yield* maskedText(part)
      else yield* flushed()
      if (part.type === 'tool-call') {
        const call = maskedCall(part.call)
        calls.set(part.call, call)
        yield { type: 'tool-call', call }
      }
      if (part.type === 'finish') yield maskedFinish(part)
    }
  } catch (thrown) {
    yield* flushed()
    throw thrown
  }
}
