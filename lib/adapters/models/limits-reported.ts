import { isUsageLimit } from '../../core/usage-limit.ts'
import type { ProviderLimits } from '../../ports/provider-limits.ts'

/** Reports whether a provider answers or refuses by a usage limit, before the reader of its answer learns it. */
export async function* limitsReported<T>(
  limits: ProviderLimits,
  provider: string,
  answer: AsyncIterable<T>,
): AsyncGenerator<T> {
  let isAnswered = false
  try {
    for await (const part of answer) {
      if (!isAnswered) limits.answered(provider)
      isAnswered = true
      yield part
    }
  } catch (thrown) {
    if (isUsageLimit(thrown))
      await limits.limited(provider, { reason: thrown.message, retryAfterMs: thrown.retryAfterMs })
    throw thrown
  }
}
