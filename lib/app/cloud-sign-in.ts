import { createArgon2 } from '../adapters/node/argon2.ts'
import { entropy } from '../adapters/node/entropy.ts'
import { createProviderFetch } from '../adapters/node/provider-fetch.ts'
import type { Config } from '../config.ts'
import type { AuthContext, AuthPorts } from '../join/auth-context.ts'
import { joinSignIn } from '../join/sign-in.ts'
import { openCloudCipher } from './cloud-cipher.ts'

type Given = { entry: AuthContext; ports: AuthPorts; config: Config }

/** How people come in, as it lives in a function. */
export const openSignIn = ({ entry, ports, config }: Given) => {
  const more = {
    passwords: createArgon2({ entropy }),
    cipher: openCloudCipher(config, ports),
    providerFetch: createProviderFetch(),
  }
  return { ...entry, ...joinSignIn(entry, { ...ports, ...more }, config) }
}
