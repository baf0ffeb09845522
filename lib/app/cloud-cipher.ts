import { createKmsCipher, openKms } from '../adapters/aws/kms.ts'
import { createCipher } from '../adapters/node/cipher.ts'
import type { Config } from '../config.ts'
import { Problem } from '../core/errors.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import { openLocalCipher } from './cipher.ts'

type Needs = { entropy: Entropy; clock: Clock }

/** The cipher of a function: KMS, or a key that all functions are given. A stack on emulators may do with a key file. */
export const openCloudCipher = (config: Config, needs: Needs): Cipher => {
  const { KMS_KEY_ID: keyId, ENCRYPTION_KEY: given, DYNAMODB_ENDPOINT } = config
  const isEmulated = DYNAMODB_ENDPOINT !== undefined
  if (keyId !== undefined) return openKmsCipher(keyId, config, needs)
  if (given !== undefined) return createCipher({ keys: () => [given], entropy: needs.entropy })
  return isEmulated ? openLocalCipher(config, needs) : notConfigured
}

const openKmsCipher = (keyId: string, config: Config, { entropy, clock }: Needs): Cipher => {
  const { AWS_REGION: region, KMS_ENDPOINT: endpoint, ENCRYPTION_KEY: given } = config
  const older = given && { older: createCipher({ keys: () => [given], entropy }) }
  return createKmsCipher({ connect: () => openKms({ region, endpoint }), keyId, entropy, clock, ...older })
}

const refuse = async (): Promise<never> => {
  throw new Problem(
    'unavailable',
    'encryption_not_configured',
    'Secrets cannot be stored yet: set KMS_KEY_ID (or ENCRYPTION_KEY) for the deployment',
  )
}
const notConfigured: Cipher = { seal: refuse, open: refuse }
