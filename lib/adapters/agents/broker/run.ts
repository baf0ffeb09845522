import { addCost, type Cost, pricedCost, UNKNOWN_COST } from '../../../core/cost.ts'
import { addUsage, type CallUsage, NO_USAGE, type TokenUsage } from '../../../core/token-usage.ts'
import type { PriceCall } from '../../../ports/prices.ts'
import type { Broker, BrokerAddress, BrokeredCall } from './broker.ts'
import { type BrokeredKind, brokerVariables } from './routes.ts'
import type { Metered } from './usage.ts'

export type Brokered = {
  broker: Pick<Broker, 'open'>
  address: BrokerAddress
  price: PriceCall
  /** Whether the provider of a kind has a key. */
  hasModel: (kind: BrokeredKind) => boolean
}

const totals = ({ input, cachedInput, cacheWrites, output, reasoning }: CallUsage): TokenUsage => {
  const promptTokens = input + cachedInput + cacheWrites
  const completionTokens = output + reasoning
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens }
}

/**
 * The calls of one run through the broker: what its program needs to make them, and what they came to. `refusal` says why
 * it may make no more.
 */
export const openBrokeredRun = (
  { broker, address, price }: Pick<Brokered, 'broker' | 'address' | 'price'>,
  refusal: () => string | undefined = () => undefined,
) => {
  const calls: { call: BrokeredCall; usage: () => Metered }[] = []
  // A call is priced once for each usage that was read: its sum is asked for before every call.
  const prices = new WeakMap<CallUsage, Cost>()

  const callCost = ({ call: { kind: provider }, usage }: (typeof calls)[number]): Cost => {
    const { model, usage: used } = usage()
    if (model === undefined || used === undefined) return UNKNOWN_COST
    const cost = prices.get(used) ?? pricedCost(price({ provider, model, usage: used }))
    prices.set(used, cost)
    return cost
  }
  const callUsage = ({ usage }: (typeof calls)[number]): TokenUsage => {
    const { usage: used } = usage()
    return used === undefined ? NO_USAGE : totals(used)
  }

  const { token, close } = broker.open({ refusal, onCall: (call, usage) => void calls.push({ call, usage }) })
  return {
    token,
    origin: address.origin,
    bridged: address.bridged,
    variables: brokerVariables(address.origin, token),
    usage: (): TokenUsage => calls.map(callUsage).reduce(addUsage, NO_USAGE),
    /** What its calls cost so far, also those whose answers have not ended; undefined where no model has answered. */
    cost: (): Cost | undefined =>
      calls
        .filter(({ call }) => call.metered)
        .map(callCost)
        .reduce<Cost | undefined>(addCost, undefined),
    model: () => calls.findLast(({ usage }) => usage().model !== undefined)?.usage().model,
    /** The status of the last call, where that failed: agents may call a turn done that ended with it. */
    failedStatus: () => {
      const status = calls.at(-1)?.call.status
      return status !== undefined && status >= 400 ? status : undefined
    },
    /** The usage limit that refused the last call, once runs that need the provider are held. */
    limit: async () => {
      const limit = calls.at(-1)?.call.limit
      await limit?.stored
      return limit
    },
    close,
  }
}
export type BrokeredModels = ReturnType<typeof openBrokeredRun>
