import { addCost, type Cost } from './cost.ts'

export type TokenUsage = {
  promptTokens: number
  completionTokens: number
  totalTokens: number
  /** What the calls cost; absent where none was made. */
  cost?: Cost
}

export const NO_USAGE: TokenUsage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 }

export const addUsage = (a: TokenUsage, b: TokenUsage): TokenUsage => {
  const cost = addCost(a.cost, b.cost)
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    totalTokens: a.totalTokens + b.totalTokens,
    ...(cost && { cost }),
  }
}

/**
 * What a model call used, in counts of which no token is in two: providers differ in whether their input has the cached
 * tokens in it, and their output the reasoning.
 */
export type CallUsage = {
  input: number
  cachedInput: number
  cacheWrites: number
  output: number
  reasoning: number
}
