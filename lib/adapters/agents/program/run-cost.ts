import type { Cost } from '../../../core/cost.ts'
import { COST_LIMIT_TEXT, costLimitReached, isCostLimitReached } from '../../../core/cost-limit.ts'
import type { AgentContext } from '../../../ports/agent.ts'
import type { Clock } from '../../../ports/clock.ts'

/** A program that may make no more calls has this long to end by itself. */
const END_MS = 10_000

/**
 * The cost of one run of a program: what the program itself states, or the prices of its calls where these are more. At the
 * limit of the run its next call is refused; a program that does not end then is stopped by `signal`, which also has the run’s
 * own aborts.
 */
export const createRunCost = (
  {
    signal,
    costLimitUsd: limitUsd,
    spent,
    progress,
  }: Pick<AgentContext, 'signal' | 'costLimitUsd' | 'spent' | 'progress'>,
  clock: Clock,
) => {
  const stop = new AbortController()
  let stated: Cost | undefined
  let priced: () => Cost | undefined = () => undefined
  let unpriced: () => string | undefined = () => undefined
  let cancelStop: (() => void) | undefined

  /** The larger one: a program may state less than its calls cost, or be behind them. */
  const total = (): Cost | undefined => {
    const price = priced()
    return stated && (price?.usd ?? 0) <= (stated.usd ?? 0) ? stated : (price ?? stated)
  }

  const tell = () => {
    const cost = total()
    if (cost !== undefined) spent(cost)
  }

  /** Whether the limit is reached; the program is then stopped if it does not end. */
  const isOver = (): boolean => {
    const isReached = [stated, priced()].some((cost) => isCostLimitReached(cost?.usd, limitUsd))
    if (isReached) cancelStop ??= clock.after(END_MS, () => stop.abort(costLimitReached()))
    return isReached
  }

  let unpricedTold: string | undefined
  /** A limit sees no unknown cost: those who set it are told. */
  const tellUnpriced = () => {
    const model = limitUsd === undefined ? undefined : unpriced()
    if (model === undefined || model === unpricedTold) return
    unpricedTold = model
    progress(`The model ${model} has no known price, so its calls do not count toward the cost limit`)
  }

  let isRefused = false
  return {
    signal: AbortSignal.any([signal, stop.signal]),
    /** The prices of the calls of the run, and the last model of them that has none. */
    setCalls: (calls: { cost: () => Cost | undefined; unpriced: () => string | undefined }): void => {
      priced = calls.cost
      unpriced = calls.unpriced
    },
    /** The program states what its session has cost up to now. 0 and what is no sum say nothing: programs start with 0, and keep it where they know no price. */
    state: (usd: number): void => {
      if (!(usd > 0 && Number.isFinite(usd))) return
      stated = { usd, source: 'provider' }
      tell()
      isOver()
    },
    /** Asked before each call of a model: why it may not be made; undefined while calls may be made. */
    refusal: (): string | undefined => {
      tell()
      tellUnpriced()
      if (!isOver()) return undefined
      isRefused = true
      return COST_LIMIT_TEXT
    },
    /** Whether the run was refused a call or stopped at its limit. */
    isRefused: (): boolean => isRefused || stop.signal.aborted,
    total,
    /** Tells the cost for the last time. */
    end: (): void => {
      cancelStop?.()
      tell()
    },
  }
}
export type RunCost = ReturnType<typeof createRunCost>
