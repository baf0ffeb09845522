import { createCipher } from '../adapters/node/cipher.ts'
import { keysOfFile, readKeys } from '../adapters/node/cipher-keys.ts'
import type { Config } from '../config/config.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import { openIdentity } from '../devices/identity.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'

/** The cipher of one process: by `ENCRYPTION_KEY`, else the key file of the data folder; in `pico` a temporary key. */
export const openLocalCipher = (config: Config, { entropy }: { entropy: Entropy }): Cipher => {
  const { ENCRYPTION_KEY: ownKey, SERVICE_MODE, DATA_DIR: folder } = config
  const keepsFiles = SERVICE_MODE !== 'pico'
  if (ownKey !== undefined) {
    // Texts that the key file sealed before stay readable.
    const keys = () => [ownKey, ...((keepsFiles ? readKeys(folder) : undefined) ?? [])] as const
    return createCipher({ keys, entropy })
  }
  if (keepsFiles) return createCipher({ keys: keysOfFile({ folder, entropy }), entropy })
  const key = entropy(32)
  return createCipher({ keys: () => [key], entropy })
}

const LOST =
  'a stored secret cannot be opened: the key that it was sealed with is not there; put encryption.key back from a ' +
  'backup of DATA_DIR (or ENCRYPTION_KEY as it was), or pair devices and link accounts again'

/** A cipher that logs once when a sealed text cannot be opened. */
export const reportingLostKey = (cipher: Cipher, log: Log): Cipher => {
  let isLogged = false
  const open: Cipher['open'] = async (sealed, context) => {
    try {
      return await cipher.open(sealed, context)
    } catch (thrown) {
      if (!isLogged) log.warn({ context, reason: errorMessage(thrown) }, LOST)
      isLogged = true
      throw thrown
    }
  }
  return { seal: cipher.seal, open }
}

/** Opens a stored secret, if there is one, so that a lost key is reported before a request needs it. */
export const checkKey = async ({ store, cipher }: { store: Store; cipher: Cipher }): Promise<void> => {
  try {
    await openIdentity(store, cipher)
  } catch (thrown) {
    // The cipher has logged it. The service starts: few requests need sealed texts.
    if (!(thrown instanceof Problem)) throw thrown
  }
}
