import { createClock } from '../adapters/node/clock.ts'
import { entropy } from '../adapters/node/entropy.ts'
import { createOutbound } from '../adapters/node/outbound.ts'
import type { Config } from '../config.ts'
import type { Sending } from './cloud.ts'
import { openRepositories } from './cloud-accepting.ts'
import { openCloudCipher } from './cloud-cipher.ts'

/** Of a function that sends to addresses which users chose, and keeps their secrets. */
export const openSending = (config: Config): Sending => {
  const clock = createClock()
  return {
    cipher: openCloudCipher(config, { entropy, clock }),
    outbound: createOutbound({ clock, allow: config.OUTBOUND_ALLOW_HOSTS }),
    repositories: openRepositories(config),
  }
}
