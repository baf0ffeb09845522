import { addUsage, NO_USAGE, type TokenUsage } from '../../../core/token-usage.ts'
import type { Broker, BrokerAddress, BrokeredCall } from './broker.ts'
import { brokerVariables } from './routes.ts'
import type { CallUsage } from './usage.ts'

export type Brokered = { broker: Pick<Broker, 'open'>; address: BrokerAddress }

const totals = ({ input, cachedInput, cacheWrites, output, reasoning }: CallUsage): TokenUsage => {
  const promptTokens = input + cachedInput + cacheWrites
  const completionTokens = output + reasoning
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens }
}

/** The calls of one run through the broker: what its program needs to make them, and what they came to. */
export const openBrokeredRun = ({ broker, address }: Brokered) => {
  let usage = NO_USAGE
  let last: BrokeredCall | undefined
  const { token, close } = broker.open({
    refusal: () => undefined,
    onCall: (call) => {
      last = call
      if (call.usage) usage = addUsage(usage, totals(call.usage))
    },
  })
  return {
    token,
    origin: address.origin,
    bridged: address.bridged,
    variables: brokerVariables(address.origin, token),
    usage: () => usage,
    model: () => last?.model,
    /** The status of the last call, where that failed: agents may call a turn done that ended with it. */
    failedStatus: () => (last !== undefined && last.status >= 400 ? last.status : undefined),
    /** The usage limit that refused the last call, once runs that need the provider are held. */
    limit: async () => {
      await last?.limit?.stored
      return last?.limit
    },
    close,
  }
}
export type BrokeredModels = ReturnType<typeof openBrokeredRun>
