import { createGuard } from '../../lib/http/guard.ts'

export const front = { trustedHops: 0 }

/** The guard of a local installation without a key, where nobody has a session or a token. */
export const openGuard = createGuard({
  front,
  identity: { isOpen: () => true, ofSession: async () => undefined, ofToken: async () => undefined },
})
