import { estimateTokenCount } from 'tokenx'
import { Problem } from './errors.ts'

/** The tokens that a message costs beside its text. */
const PER_MESSAGE = 4
const LONGEST_OUTPUT = 16_384
/** The part of a small window that is reserved for the answer. */
const OUTPUT_PART = 1 / 4

type Message = { readonly content: string; readonly toolCalls?: readonly object[] }

const messageText = ({ content, toolCalls }: Message): string =>
  toolCalls === undefined ? content : content + JSON.stringify(toolCalls)

export const estimateTokens = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + PER_MESSAGE + estimateTokenCount(messageText(message)), 0)

/** A cheap upper bound of `estimateTokens`: no character is estimated at more than two tokens. */
export const mostTokens = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + PER_MESSAGE + 2 * messageText(message).length, 0)

export const estimateToolTokens = (specs: readonly object[]): number =>
  specs.length === 0 ? 0 : estimateTokens([{ content: JSON.stringify(specs) }])

/** The tokens of a window that are reserved for the answer: the output limit of a step that sets none. */
export const reservedOutputTokens = (window: number): number =>
  Math.max(1, Math.min(LONGEST_OUTPUT, Math.floor(window * OUTPUT_PART)))

/** The tokens of a window that a prompt and its tools may have. */
export const promptTokenLimit = (window: number): number => window - reservedOutputTokens(window)

/** Whether a provider refused a prompt as longer than the context window of the model. */
export const isPromptTooLong = (thrown: unknown): boolean =>
  thrown instanceof Problem &&
  thrown.code === 'provider_error' &&
  (thrown.details as { reason?: unknown } | undefined)?.reason === 'context_length'
