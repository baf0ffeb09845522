import { createEmbedding } from '../adapters/models/embedding.ts'
import { tracedFetch } from '../adapters/node/tracing.ts'
import { badSetting, type Config } from '../config/config.ts'
import { messageOf } from '../core/errors.ts'
import type { Masker } from '../core/masker.ts'
import type { Breakers } from '../ports/breaker.ts'
import type { Clock } from '../ports/clock.ts'
import type { Embedding } from '../ports/embedding.ts'

type Needs = { providers: Config['providers']; breakers: Breakers; clock: Clock; masker: Masker }

/** The embedding model of memory. Throws Problem `bad_setting` for an unusable one. */
export const openEmbedding = (model: string, { providers, breakers, clock, masker }: Needs): Embedding => {
  const guard = <T>(provider: string, call: () => Promise<T>) => breakers.of(`provider:${provider}`).run(call)
  try {
    return createEmbedding({ settings: { providers }, model, clock, masker, guard, fetch: tracedFetch })
  } catch (thrown) {
    throw badSetting(`EMBEDDING_MODEL: ${messageOf(thrown)}`)
  }
}
