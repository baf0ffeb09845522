import { type Config, isLoopback } from '../config.ts'

/** A setting by which others than this machine reach the service, and its value. */
export type Exposure = readonly [name: 'HOST' | 'TRUST_PROXY' | 'PUBLIC_URL', value: string | number]

/** The first setting by which others reach the service, itself or through a proxy; undefined where none lets them. */
export const exposureOf = (
  config: Pick<Config, 'HOST' | 'TRUST_PROXY' | 'PUBLIC_URL'>,
): Exposure | undefined => {
  const { HOST, TRUST_PROXY, PUBLIC_URL } = config
  if (!isLoopback(HOST)) return ['HOST', HOST]
  if (TRUST_PROXY > 0) return ['TRUST_PROXY', TRUST_PROXY]
  if (PUBLIC_URL !== undefined && !isLoopback(hostnameIn(PUBLIC_URL))) return ['PUBLIC_URL', PUBLIC_URL]
  return undefined
}

const hostnameIn = (url: string) => new URL(url).hostname.replaceAll(/[[\]]/g, '')
