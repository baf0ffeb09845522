import { createGuard } from '../../lib/http/guard.ts'

export const proxies = { trustedHops: 0 }

/** The guard of a local installation without a key, where nobody has a session or a token. */
export const openGuard = createGuard({
  proxies,
  identity: { isOpen: () => true, ofSession: async () => undefined, ofToken: async () => undefined },
})
