import type { Config } from '../config.ts'
import type { Front } from '../http/front.ts'
import { createGuard, type Guard } from '../http/guard.ts'
import type { AuthContext } from '../join/auth-context.ts'

export const frontOf = ({ TRUST_PROXY, PUBLIC_URL, ORIGIN_SECRET }: Config): Front => ({
  trustedHops: TRUST_PROXY,
  ...(ORIGIN_SECRET === undefined ? {} : { originSecret: ORIGIN_SECRET }),
  ...(PUBLIC_URL === undefined ? {} : { publicUrl: PUBLIC_URL }),
})

/**
 * The guard, by settings that are not older than they may be. While they ask for no sign-in, storage is asked with each
 * request: a new access key holds in every process at once.
 */
export const openGuard = ({ identity, settings }: AuthContext, front: Front): Guard => {
  const guard = createGuard({ identity, front })
  const admit: Guard = (access, event) => {
    const latest = identity.isOpen() ? settings.latest() : undefined
    return latest === undefined ? guard(access, event) : latest.then(() => guard(access, event))
  }
  return (access, event) => {
    const fresh = settings.refresh()
    return fresh === undefined ? admit(access, event) : fresh.then(() => admit(access, event))
  }
}
