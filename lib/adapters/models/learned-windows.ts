import {
  estimateTokens,
  estimateToolTokens,
  isPromptTooLong,
  reservedOutputTokens,
} from '../../core/context-window.ts'
import type { Clock } from '../../ports/clock.ts'
import type { StepPart, StepRequest } from '../../ports/model.ts'
import { namedContextTokens } from './failures.ts'
import type { Target } from './resolve.ts'

const MOST_MODELS = 1_000
const SMALLEST_WINDOW = 1_024
/** A server may be started again with a larger window, and a refusal may have had another reason. */
const FORGOTTEN_AFTER_MS = 600_000
/** The part of the refused tokens, those of the answer included, that the window is taken to have when none is named. */
const NEXT_PART = 3 / 4

const windowKey = ({ provider, model }: Target): string => `${provider}/${model}`

/** The context windows that providers showed by refusing a prompt: a server may run a model with a smaller one. */
export const createLearnedWindows = ({ clock }: { clock: Clock }) => {
  const windows = new Map<string, { tokens: number; learnedAtMs: number }>()

  const remember = (
    target: Target,
    { messages, tools = [] }: StepRequest,
    window: number,
    thrown: unknown,
  ) => {
    const requestedTokens =
      estimateTokens(messages) + estimateToolTokens(tools) + reservedOutputTokens(window)
    const named = namedContextTokens(thrown)
    const smaller =
      named !== undefined && named < window
        ? named
        : Math.floor(Math.min(window, requestedTokens) * NEXT_PART)
    if (windows.size >= MOST_MODELS) windows.delete(windows.keys().next().value ?? '')
    const tokens = Math.max(SMALLEST_WINDOW, smaller)
    windows.set(windowKey(target), { tokens, learnedAtMs: clock.monotonic() })
  }

  return {
    /** The window of a model in tokens, at most the given one, which it is again ten minutes after the last refusal. */
    within: (target: Target, window: number): number => {
      const learned = windows.get(windowKey(target))
      const isForgotten = !learned || clock.monotonic() - learned.learnedAtMs >= FORGOTTEN_AFTER_MS
      return isForgotten ? window : Math.min(window, learned.tokens)
    },
    /** Passes a step on, and remembers the window when its provider refuses the prompt as too long. */
    async *learning(
      target: Target,
      request: StepRequest,
      window: number,
      parts: AsyncIterable<StepPart>,
    ): AsyncGenerator<StepPart> {
      try {
        yield* parts
      } catch (thrown) {
        if (isPromptTooLong(thrown)) remember(target, request, window, thrown)
        throw thrown
      }
    },
  }
}
