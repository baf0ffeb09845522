import type { CallUsage } from '../../core/token-usage.ts'
import type { Clock } from '../../ports/clock.ts'
import type { PriceCall, Prices } from '../../ports/prices.ts'

type ModelPrice = NonNullable<ReturnType<typeof import('@pydantic/genai-prices').calcPrice>>['model_price']

/** A model may be listed without the price of what was used. */
const isPriced = (price: ModelPrice, { input, cachedInput, cacheWrites, output, reasoning }: CallUsage) =>
  (input + cachedInput + cacheWrites === 0 || price.input_mtok !== undefined) &&
  (output + reasoning === 0 || price.output_mtok !== undefined)

/** The package counts cached tokens in the input, and reasoning in the output. */
const packageUsage = ({ input, cachedInput, cacheWrites, output, reasoning }: CallUsage) => ({
  input_tokens: input + cachedInput + cacheWrites,
  cache_read_tokens: cachedInput,
  cache_write_tokens: cacheWrites,
  output_tokens: output + reasoning,
  output_reasoning_tokens: reasoning,
})

/** Prices from the data of `@pydantic/genai-prices`, which is in the package. */
export const createPrices = ({ clock }: { clock: Pick<Clock, 'now'> }): Prices => ({
  load: async (): Promise<PriceCall> => {
    const { calcPrice } = await import('@pydantic/genai-prices')
    return ({ provider: providerId, model, usage }) => {
      try {
        const timestamp = new Date(clock.now())
        const found = calcPrice(packageUsage(usage), model, { providerId, timestamp })
        return found && isPriced(found.model_price, usage) ? found.total_price : null
      } catch {
        // Counts that contradict each other, as some servers send them, have no price.
        return null
      }
    }
  },
})
