import { Problem } from '../../core/errors.ts'
import { durationText } from '../../core/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Outbound } from '../../ports/outbound.ts'
import { createLookup, createResolve, type Resolve, readAllowed, refused } from './outbound-address.ts'

export type OutboundNeeds = {
  clock: Clock
  /** Private hosts, addresses and networks that requests may reach. */
  allow: readonly string[]
  lookup?: Resolve
}

const LOOKUP_MS = 3_000

/** Checks addresses without sending, and without the HTTP client. Throws Problem `bad_setting` for an invalid `allow`. */
export const createOutboundCheck = ({ clock, allow, ...needs }: OutboundNeeds) => {
  const allowed = readAllowed(allow)
  const { lookup = createLookup({ allowed }) } = needs
  const resolve: Resolve = createResolve({ allowed, lookup })

  /** All addresses of a URL's host. Rejects with `url_refused` for a forbidden one, else with the error of the lookup. */
  const lookUpAddresses = async ({ hostname }: URL): Promise<readonly string[]> => {
    const until = deadline(clock, LOOKUP_MS)
    try {
      const addresses = await Promise.race([resolve(bare(hostname)), until.over])
      if (addresses.length > 0) return addresses
      throw new Problem('unavailable', 'outbound_failed', 'The host has no address')
    } finally {
      until.cancel()
    }
  }

  const check: Outbound['check'] = async (url) => {
    try {
      await lookUpAddresses(checkedTarget(url))
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.kind === 'invalid') throw thrown
    }
  }
  return { check, resolve, allowed, lookUpAddresses }
}

/** Throws Problem `url_refused` for an invalid target. */
export const checkedTarget = (url: string): URL => {
  if (!URL.canParse(url)) throw refused('is not a URL')
  const target = new URL(url)
  if (target.protocol !== 'http:' && target.protocol !== 'https:')
    throw refused('must be an http or https URL')
  if (target.username !== '' || target.password !== '')
    throw refused('must not contain credentials, because they would be stored and shown')
  return target
}

/** Removes the brackets of an IPv6 address. */
const bare = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1')

/** `over` rejects with Problem `outbound_timeout` after `ms`. */
export const deadline = (clock: Clock, ms: number) => {
  const { promise, reject } = Promise.withResolvers<never>()
  const cancel = clock.after(ms, () =>
    reject(
      new Problem('unavailable', 'outbound_timeout', `The response did not end within ${durationText(ms)}`),
    ),
  )
  return { over: promise, cancel }
}
