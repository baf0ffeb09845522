import { createCipher } from '../adapters/node/cipher.ts'
import { keysOfFile, readKeys } from '../adapters/node/cipher-keys.ts'
import type { Config } from '../config.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Entropy } from '../ports/entropy.ts'

/** The cipher of one process: with `ENCRYPTION_KEY`, else with the key file of the data folder, in `pico` with a key of its own. */
export const openLocalCipher = (config: Config, { entropy }: { entropy: Entropy }): Cipher => {
  const { ENCRYPTION_KEY: given, SERVICE_MODE, DATA_DIR: folder } = config
  const keepsFiles = SERVICE_MODE !== 'pico'
  if (given !== undefined) {
    // What the key file sealed before goes on being readable.
    const keys = () => [given, ...((keepsFiles ? readKeys(folder) : undefined) ?? [])] as const
    return createCipher({ keys, entropy })
  }
  if (keepsFiles) return createCipher({ keys: keysOfFile({ folder, entropy }), entropy })
  const key = entropy(32)
  return createCipher({ keys: () => [key], entropy })
}
