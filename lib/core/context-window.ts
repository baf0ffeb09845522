import { estimateTokenCount } from 'tokenx'

/** What a message costs beside its text. */
const PER_MESSAGE = 4
const LONGEST_OUTPUT = 16_384
/** Of a window that is small. */
const OUTPUT_PART = 1 / 4

type Message = { readonly content: string; readonly toolCalls?: readonly object[] }

const textOf = ({ content, toolCalls }: Message): string =>
  toolCalls === undefined ? content : content + JSON.stringify(toolCalls)

/** An estimate of what messages cost in a prompt. */
export const tokensOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + PER_MESSAGE + estimateTokenCount(textOf(message)), 0)

/** What `tokensOf` is at most, quickly: a character, such as an emoji of one, is estimated at two tokens or less. */
export const mostTokensOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + PER_MESSAGE + 2 * textOf(message).length, 0)

/** An estimate of what tools cost, as a model is given them. */
export const tokensOfTools = (specs: readonly object[]): number =>
  specs.length === 0 ? 0 : tokensOf([{ content: JSON.stringify(specs) }])

/** The tokens of a window that are kept for the answer: the output limit of a step that names none. */
export const outputTokensOf = (window: number): number =>
  Math.max(1, Math.min(LONGEST_OUTPUT, Math.floor(window * OUTPUT_PART)))

/** The tokens of a window that a prompt may have, its tools included. */
export const promptTokensOf = (window: number): number => window - outputTokensOf(window)
