import { estimateTokenCount } from 'tokenx'
import { Problem } from './errors.ts'

/** The tokens that a message costs beside its text. */
const PER_MESSAGE = 4
const LONGEST_OUTPUT = 16_384
/** The part of a small window that is reserved for the answer. */
const OUTPUT_PART = 1 / 4

type Message = { readonly content: string; readonly toolCalls?: readonly object[] }

const textOf = ({ content, toolCalls }: Message): string =>
  toolCalls === undefined ? content : content + JSON.stringify(toolCalls)

/** Estimates the tokens of messages in a prompt. */
export const tokensOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + PER_MESSAGE + estimateTokenCount(textOf(message)), 0)

/** A cheap upper bound of `tokensOf`: no character is estimated at more than two tokens. */
export const mostTokensOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + PER_MESSAGE + 2 * textOf(message).length, 0)

/** Estimates the tokens of tool specifications in a prompt. */
export const tokensOfTools = (specs: readonly object[]): number =>
  specs.length === 0 ? 0 : tokensOf([{ content: JSON.stringify(specs) }])

/** The tokens of a window that are reserved for the answer: the output limit of a step that sets none. */
export const outputTokensOf = (window: number): number =>
  Math.max(1, Math.min(LONGEST_OUTPUT, Math.floor(window * OUTPUT_PART)))

/** The tokens of a window that a prompt and its tools may have. */
export const promptTokensOf = (window: number): number => window - outputTokensOf(window)

/** Whether a provider refused a prompt as longer than the context window of the model. */
export const isPromptTooLong = (thrown: unknown): boolean =>
  thrown instanceof Problem &&
  thrown.code === 'provider_error' &&
  (thrown.details as { reason?: unknown } | undefined)?.reason === 'context_length'
