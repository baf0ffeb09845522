import { isLoopback } from '../core/network.ts'
import type { Config } from './config.ts'

/** A setting that makes the service reachable from other machines, and its value. */
type Exposure = readonly [name: 'HOST' | 'TRUST_PROXY' | 'PUBLIC_URL', value: string | number]

/** The first setting that makes the service reachable, itself or through a proxy; undefined when none does. */
export const findExposure = (
  config: Pick<Config, 'HOST' | 'TRUST_PROXY' | 'PUBLIC_URL'>,
): Exposure | undefined => {
  const { HOST, TRUST_PROXY, PUBLIC_URL } = config
  if (!isLoopback(HOST)) return ['HOST', HOST]
  if (TRUST_PROXY > 0) return ['TRUST_PROXY', TRUST_PROXY]
  if (PUBLIC_URL !== undefined && !isLoopback(hostnameIn(PUBLIC_URL))) return ['PUBLIC_URL', PUBLIC_URL]
  return undefined
}

const hostnameIn = (url: string) => new URL(url).hostname.replaceAll(/[[\]]/g, '')
