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

/** Whether only this machine can reach the address. */
const isLoopback = (host: string): boolean => /^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host)

const hostnameIn = (url: string) => new URL(url).hostname.replaceAll(/[[\]]/g, '')
