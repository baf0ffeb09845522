import { createEmbedding } from '../adapters/models/embedding.ts'
import { isProviderFault } from '../adapters/models/failures.ts'
import { createBreakers } from '../adapters/node/breakers.ts'
import { tracedFetch } from '../adapters/node/tracing.ts'
import { badSetting, type Config } from '../config/config.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import type { Masker } from '../core/masker.ts'
import type { Breakers } from '../ports/breaker.ts'
import type { Clock } from '../ports/clock.ts'
import type { Embedding } from '../ports/embedding.ts'

/** Circuit breakers, which count faults of providers, and of adapters whose health check fails. */
export const openBreakers = (clock: Clock): Breakers => createBreakers({ clock, isFault })

const isFault = (thrown: unknown): boolean =>
  isProviderFault(thrown) || (thrown instanceof Problem && HEALTH_FAULTS.has(thrown.code))

const HEALTH_FAULTS: ReadonlySet<string> = new Set(['health_check_failed', 'health_check_timeout'])

type Needs = { providers: Config['providers']; breakers: Breakers; clock: Clock; masker: Masker }

/** The embedding model of memory. Throws Problem `bad_setting` for an unusable one. */
export const openEmbedding = (model: string, { providers, breakers, clock, masker }: Needs): Embedding => {
  const guard = <T>(provider: string, call: () => Promise<T>) => breakers.of(`provider:${provider}`).run(call)
  try {
    return createEmbedding({ settings: { providers }, model, clock, masker, guard, fetch: tracedFetch })
  } catch (thrown) {
    throw badSetting(`EMBEDDING_MODEL: ${errorMessage(thrown)}`)
  }
}
