import { createArgon2 } from '../../lib/adapters/node/argon2.ts'
import { createCipher } from '../../lib/adapters/node/cipher.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { createOutbound } from '../../lib/adapters/node/outbound.ts'
import { createProviderFetch } from '../../lib/adapters/node/provider-fetch.ts'
import { createRepositories } from '../../lib/adapters/node/repositories.ts'
import { createWebSearchProviders } from '../../lib/adapters/web-search/catalog.ts'

const key = entropy(32)
const clock = createClock()
const outbound = createOutbound({ clock, allow: [] })

/** What it takes to know who is calling, and to call others; all of it real. */
export const peoplePorts = () => ({
  entropy,
  passwords: createArgon2({ entropy }),
  cipher: createCipher({ keys: () => [key], entropy }),
  providerFetch: createProviderFetch(),
  outbound,
  webSearchProviders: createWebSearchProviders({ outbound, clock }),
  repositories: createRepositories({ clock, allow: [], roots: [] }),
})
