import { badSetting, type Config } from '../config.ts'
import type { Entry } from '../join/entry.ts'
import type { SignIn } from './banner.ts'

/** Whoever reaches a service that asks nobody to sign in is its admin, so it must not be reachable from elsewhere. */
export const refuseOpenHost = ({ identity }: Pick<Entry, 'identity'>, { HOST }: Config): void => {
  try {
    identity.isOpen()
  } catch {
    throw badSetting(`HOST: without an access key the service listens on loopback only, not on ${HOST}`)
  }
}

export const signInOf = ({ authMode, hasAccessKey }: Pick<Entry, 'authMode' | 'hasAccessKey'>): SignIn => {
  const mode = authMode()
  if (mode !== 'local') return mode
  return hasAccessKey() ? 'key' : 'open'
}
