import type { BrokeredKind } from '../../../core/brokered-kinds.ts'
import { addCost, type Cost, pricedCost, UNKNOWN_COST } from '../../../core/cost.ts'
import type { Problem } from '../../../core/errors.ts'
import { addUsage, type CallUsage, NO_USAGE, type TokenUsage } from '../../../core/token-usage.ts'
import type { PriceCall } from '../../../ports/prices.ts'
import type { Broker, BrokeredCall } from './broker.ts'
import { brokerVariables } from './routes.ts'
import type { Metered } from './usage.ts'

export type Brokered = {
  broker: Pick<Broker, 'open'>
  price: PriceCall
  /** Whether the provider of a kind has a key. */
  hasModel: (kind: BrokeredKind) => boolean
  /** The models that are set for providers, by `<KIND>_MODEL`. */
  models: () => Readonly<Partial<Record<BrokeredKind, string>>>
}

const totals = ({ input, cachedInput, cacheWrites, output, reasoning }: CallUsage): TokenUsage => {
  const promptTokens = input + cachedInput + cacheWrites
  const completionTokens = output + reasoning
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens }
}

/** An answer whose end has not come, and one that failed: it cost nothing. */
type Answer = { call: BrokeredCall; usage: () => Metered }

const isMetered = ({ status }: BrokeredCall) => status < 300

/**
 * The calls of one run through the broker: what its program needs to make them, and what they came to. `refusal` says why
 * it may make no more, `isAnswered` whether what the program did last is an answer.
 */
export const openBrokeredRun = async (
  { broker, price }: Pick<Brokered, 'broker' | 'price'>,
  refusal: () => string | undefined = () => undefined,
  isAnswered: () => boolean = () => false,
) => {
  // Answers that have ended are counted once, however many calls a program makes.
  const open = new Set<Answer>()
  let endedCost: Cost | undefined
  let endedUsage = NO_USAGE
  let unpriced: string | undefined
  const tokens = new Map<string, number>()
  let last: BrokeredCall | undefined
  let hasModelAnswered = false
  let failedAfterAnswer: boolean | undefined

  const callCost = ({ call, usage }: Answer): Cost | undefined => {
    if (!isMetered(call)) return undefined
    const { model, usage: used } = usage()
    if (model === undefined || used === undefined) return UNKNOWN_COST
    const cost = pricedCost(price({ provider: call.kind, model, usage: used }))
    return call.cutBy ? { ...cost, source: 'unknown' } : cost
  }
  const callUsage = ({ usage }: Answer): TokenUsage => {
    const { usage: used } = usage()
    return used === undefined ? NO_USAGE : totals(used)
  }

  const onCall = (call: BrokeredCall, usage: () => Metered) => {
    const answer = { call, usage }
    open.add(answer)
    last = call
    return () => {
      open.delete(answer)
      if (call.failure !== undefined) failedAfterAnswer ??= hasModelAnswered && isAnswered()
      else {
        hasModelAnswered = true
        failedAfterAnswer = undefined
      }
      const { model } = usage()
      const cost = callCost(answer)
      const used = callUsage(answer)
      endedCost = addCost(endedCost, cost)
      endedUsage = addUsage(endedUsage, used)
      if (model === undefined) return
      tokens.set(model, (tokens.get(model) ?? 0) + used.totalTokens)
      if (cost?.usd === null) unpriced = model
    }
  }

  const { token, origin, bridged, close } = await broker.open({ refusal, onCall })
  return {
    token,
    origin,
    bridged,
    variables: brokerVariables(origin, token),
    usage: (): TokenUsage => [...open].map(callUsage).reduce(addUsage, endedUsage),
    /** What its calls cost so far, also those whose answers have not ended; undefined where no model has answered. */
    cost: (): Cost | undefined => [...open].map(callCost).reduce<Cost | undefined>(addCost, endedCost),
    /** The model that did most of the work: programs also call small ones, for titles and the like. */
    model: (): string | undefined => [...tokens].sort(([, a], [, b]) => b - a).at(0)?.[0],
    /** The last model that answered and has no price. */
    unpriced: () => unpriced,
    /** Whether the program had written its answer before the first of the failures that its last calls came to. */
    failedAfterAnswer: () => failedAfterAnswer === true,
    /**
     * Why the last call of a model failed. Resolves once runs that need the provider are held, where it is at a usage limit.
     */
    failure: async (): Promise<Problem | undefined> => {
      await last?.held
      return last?.failure
    },
    close,
  }
}
export type BrokeredModels = Awaited<ReturnType<typeof openBrokeredRun>>
