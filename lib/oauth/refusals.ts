import { Problem } from '../core/errors.ts'
import { networkOf } from '../core/network.ts'
import type { Principal } from '../core/principal.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Flow } from './flow.ts'
import { FailureSchema } from './schema.ts'

type Needs = {
  limiter: Limiter
  audit: (principal: Principal, action: string, details: object) => Promise<void>
}

/** A person who declines, and a provider that is not there, are no refusals of ours. */
const RefusalSchema = FailureSchema.exclude(['access_denied', 'provider_unreachable', 'oauth_not_configured'])

/**
 * A state costs nothing to make up, and a record is kept for long: what is refused over the limit of passwords is
 * in the log only.
 */
const NOTED = { name: 'oauthRefused', calls: 10, windowMs: 60_000 }

/** Takes note of sign-ins, and of accounts that were to be linked, that were refused when the browser came back. */
export const createNoteRefusals =
  ({ limiter, audit }: Needs) =>
  (finish: Flow['finish']): Flow['finish'] =>
  async (provider, returned, call) => {
    try {
      return await finish(provider, returned, call)
    } catch (thrown) {
      const { data: reason } = RefusalSchema.safeParse(thrown instanceof Problem ? thrown.code : undefined)
      const { address } = call.origin()
      if (reason !== undefined && (await limiter.take(NOTED, networkOf(address))) === 0)
        await audit(call.principal, 'auth.refused', { with: provider, reason, address })
      throw thrown
    }
  }
