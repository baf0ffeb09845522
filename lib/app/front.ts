import type { Config } from '../config.ts'
import type { Front } from '../http/front.ts'
import { createGuard, type Guard } from '../http/guard.ts'
import type { Entry } from '../join/entry.ts'

export const frontOf = ({ TRUST_PROXY, PUBLIC_URL, ORIGIN_SECRET }: Config): Front => ({
  trustedHops: TRUST_PROXY,
  ...(ORIGIN_SECRET === undefined ? {} : { originSecret: ORIGIN_SECRET }),
  ...(PUBLIC_URL === undefined ? {} : { publicUrl: PUBLIC_URL }),
})

/** The guard, by settings that are not older than they may be. */
export const openGuard = ({ identity, settings }: Entry, front: Front): Guard => {
  const guard = createGuard({ identity, front })
  return (access, event) => {
    const fresh = settings.refresh()
    return fresh === undefined ? guard(access, event) : fresh.then(() => guard(access, event))
  }
}
